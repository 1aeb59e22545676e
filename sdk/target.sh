# shellcheck shell=bash
# What scripts that build and run C and C++ programs know of a target. They include this file.
# shellcheck disable=SC2034 # they use what is set here

# Sets the names and numbers of the target $1: `policies` are those that tests run with, first the usual one; `slow` and `fast` are how long an instruction takes, 2 to
# the power of this in nanoseconds; fast where programs compute much.
choose() {
  target=$1
  case $target in
    arm)
      tools=arm-none-eabi
      policies="fp-rr rr edf ipi fp-rr-small"
      some_cpus=1
      many_cpus=1
      # A microsecond an instruction, about.
      slow=10
      fast=8
      # Seconds that a test may take.
      longest=300
      ;;
    riscv)
      tools=riscv64-unknown-elf
      policies="g-fp-rr g-rr g-edf"
      some_cpus="1 4"
      many_cpus="1 8"
      # All CPUs share these instructions.
      slow=7
      fast=6
      longest=120
      ;;
  esac
  export target tools
}

# Runs the image $1 with $2 CPUs and instructions of the length $3 (or in real time, where that is `real`), for $4 seconds at most. It is told how many CPUs
# it has.
run() {
  local emulator clock="-icount shift=$3,sleep=off"
  [ "$3" != real ] || clock=
  case $target in
    arm) emulator="qemu-system-arm -M mps2-an385" ;;
    riscv) emulator="qemu-system-riscv64 -M virt -bios none -smp $2" ;;
  esac
  # shellcheck disable=SC2086
  timeout -k 1 "$4" $emulator $clock -nographic -monitor none -serial null \
    -semihosting-config "enable=on,target=native,arg=$1,arg=$2" -kernel "$1" </dev/null
}

# Prints what is said of a run with $1 CPUs, where there may be several.
with() {
  case $target$1 in
    arm*) ;;
    *1) echo " with 1 CPU" ;;
    *) echo " with $1 CPUs" ;;
  esac
}
export -f run with
