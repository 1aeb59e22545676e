/* Encrypts or decrypts a file with AES (Rijndael) in cipher block chaining mode, with nettle. The
   key has 256 bits and is in a file. An encrypted file begins with the size of the plain one; its
   initial vector is the key's first half, as the result has to be the same each time. That is no
   way to keep a secret. rijndael encrypt|decrypt KEY INPUT OUTPUT */
#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { chunk = 64 * AES_BLOCK_SIZE };

static int read_key(const char *name, uint8_t key[AES256_KEY_SIZE]) {
  FILE *in = fopen(name, "rb");
  if (!in) return perror(name), 1;
  size_t size = fread(key, 1, AES256_KEY_SIZE, in);
  fclose(in);
  return size < AES256_KEY_SIZE ? fprintf(stderr, "%s is too short\n", name), 1 : 0;
}

static void encrypt(const uint8_t *key, FILE *in, FILE *out) {
  struct CBC_CTX(struct aes256_ctx, AES_BLOCK_SIZE) cipher;
  uint8_t data[chunk];
  aes256_set_encrypt_key(&cipher.ctx, key);
  CBC_SET_IV(&cipher, key);
  fseek(in, 0, SEEK_END);
  unsigned long size = (unsigned long) ftell(in);
  rewind(in);
  for (int shift = 0; shift < 32; shift += 8) putc((int) (size >> shift & 255), out);
  for (size_t read; (read = fread(data, 1, chunk, in)) > 0;) {
    size_t whole = (read + AES_BLOCK_SIZE - 1) / AES_BLOCK_SIZE * AES_BLOCK_SIZE;
    memset(data + read, 0, whole - read);
    CBC_ENCRYPT(&cipher, aes256_encrypt, whole, data, data);
    fwrite(data, 1, whole, out);
  }
}

static void decrypt(const uint8_t *key, FILE *in, FILE *out) {
  struct CBC_CTX(struct aes256_ctx, AES_BLOCK_SIZE) cipher;
  uint8_t data[chunk];
  unsigned long size = 0;
  aes256_set_decrypt_key(&cipher.ctx, key);
  CBC_SET_IV(&cipher, key);
  for (int shift = 0; shift < 32; shift += 8) size |= (unsigned long) (getc(in) & 255) << shift;
  for (size_t read; size && (read = fread(data, 1, chunk, in)) >= AES_BLOCK_SIZE;) {
    CBC_DECRYPT(&cipher, aes256_decrypt, read / AES_BLOCK_SIZE * AES_BLOCK_SIZE, data, data);
    size_t plain = read < size ? read : size;
    fwrite(data, 1, plain, out);
    size -= plain;
  }
}

int main(int count, char **argument) {
  uint8_t key[AES256_KEY_SIZE];
  if (count != 5) return fprintf(stderr, "rijndael encrypt|decrypt KEY INPUT OUTPUT\n"), 2;
  if (read_key(argument[2], key)) return 1;
  FILE *in = fopen(argument[3], "rb");
  if (!in) return perror(argument[3]), 1;
  FILE *out = fopen(argument[4], "wb");
  if (!out) return perror(argument[4]), 1;
  (*argument[1] == 'e' ? encrypt : decrypt)(key, in, out);
  fclose(in);
  return fclose(out) ? perror(argument[4]), 1 : 0;
}
