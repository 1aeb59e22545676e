/* Runs a script with Lua and its standard libraries. lua SCRIPT [ARGUMENT...] */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>

int main(int count, char **argument) {
  if (count < 2) return fprintf(stderr, "lua SCRIPT [ARGUMENT...]\n"), 2;
  lua_State *state = luaL_newstate();
  if (!state) return fprintf(stderr, "no memory\n"), 1;
  luaL_openlibs(state);
  lua_createtable(state, count - 2, 1);
  for (int i = 1; i < count; i++) {
    lua_pushstring(state, argument[i]);
    lua_rawseti(state, -2, i - 1);
  }
  lua_setglobal(state, "arg");
  int failed = luaL_dofile(state, argument[1]);
  if (failed) fprintf(stderr, "%s\n", lua_tostring(state, -1));
  lua_close(state);
  return failed;
}
