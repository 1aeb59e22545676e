"""Threads of a C or C++ program in GDB, while it is stopped in the emulator:

  gdb-multiarch prog.elf -x PREFIX/share/flyball/gdb.py -ex 'target remote :1234'

(qemu-… -s -S -kernel prog.elf.) Then

  flyball threads        lists them: number, name, state, priority, stack in use
  flyball bt NUMBER      where that thread is
  flyball bt all

What a thread keeps of itself is in crates/capi/src/control.rs, which also defines the symbols that are read here; what the
kernel keeps of one that does not run is in context.rs of each machine.
"""

import gdb


def value(name):
    """The value of a symbol of the library."""
    return int(gdb.parse_and_eval(f"(unsigned long) &__flyball_debug_{name}"))


def number(address, size):
    memory = gdb.selected_inferior().read_memory(address, size)
    return int.from_bytes(bytes(memory), "little")


class Arm:
    """The kernel keeps the stack pointer; PendSV and the processor have pushed the registers."""

    word = 4
    pushed = ["r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r0", "r1", "r2", "r3", "r12", "lr", "pc"]

    def running(self):
        """The threads that have a CPU, with the GDB thread of that."""
        return {number(int(gdb.parse_and_eval("(unsigned long) &_impure_ptr")), 4): gdb.selected_thread()}

    def is_context(self, at, thread):
        # A guard may take the lowest bytes.
        return thread.low <= number(at + 4, 4) < thread.low + 256 and number(at + 8, 4) == thread.at

    key_at = 8

    def key(self, thread):
        return thread

    def registers(self, at):
        pointer = number(at, 4)
        registers = {name: number(pointer + 4 * i, 4) for i, name in enumerate(self.pushed)}
        # An address that is not a multiple of 8 was aligned, which a bit tells.
        aligned = number(pointer + 60, 4) >> 9 & 1
        registers["sp"] = pointer + 64 + 4 * aligned
        registers["pc"] &= ~1
        return registers


class Riscv:
    """A context switch is a call, and the kernel keeps what a call has to."""

    word = 8
    key_at = 408

    def key(self, thread):
        return thread + value("size")

    def running(self):
        found, here = {}, gdb.selected_thread()
        for cpu in gdb.selected_inferior().threads():
            cpu.switch()
            found[int(gdb.parse_and_eval("(unsigned long) $tp")) - value("size")] = cpu
        here.switch()
        return found

    def is_context(self, at, thread):
        return thread.low <= number(at + 384, 8) < thread.low + 256 and number(at + 392, 8) <= thread.at

    def registers(self, at):
        registers = {"pc": number(at, 8), "sp": number(at + 8, 8), "tp": number(at + 408, 8)}
        for i in range(12):
            registers["fp" if i == 0 else f"s{i}"] = number(at + 16 + 8 * i, 8)
        return registers


class Thread:
    def __init__(self, machine, at):
        word = machine.word
        self.machine, self.at = machine, at
        self.name = number(at + value("name"), 4)
        self.low = number(at + value("low"), word)
        self.next = number(at + value("next"), word)
        self.has_ended = number(at + value("ended"), 1)
        self.is_locking = number(at + value("locking"), 1)
        self.priority = number(at + value("priority"), 1)
        label = bytes(gdb.selected_inferior().read_memory(at + value("label"), 16))
        self.label = label.split(b"\0")[0].decode(errors="replace")

    def routine(self):
        at = number(self.at + value("routine"), self.machine.word) & ~1
        block = gdb.execute(f"info symbol {at:#x}", to_string=True).split(" ")[0]
        return block if "No" != block else f"{at:#x}"

    def context(self):
        """Where the kernel keeps its registers: its table is at the front of the heap. None: not found."""
        start = int(gdb.parse_and_eval("(unsigned long) &__heap_start"))
        word, memory = self.machine.word, gdb.selected_inferior()
        # The thread of main comes after it, and the others after that.
        length = min(self.low - start, 1 << 24)
        wanted, after = self.machine.key(self.at).to_bytes(word, "little"), start
        while after < start + length:
            found = memory.search_memory(after, start + length - after, wanted)
            if found is None:
                return None
            if self.machine.is_context(found - self.machine.key_at, self):
                return found - self.machine.key_at
            after = found + word
        return None


def machine():
    name = gdb.selected_inferior().architecture().name()
    return Riscv() if name.startswith("riscv") else Arm()


def threads():
    """All that live or wait to be joined, the oldest first."""
    this = machine()
    at = number(int(gdb.parse_and_eval("(unsigned long) &__flyball_lists")) + value("first"), this.word)
    found = []
    while at:
        found.append(Thread(this, at))
        at = found[-1].next
    return found[::-1]


class Flyball(gdb.Command):
    """Threads of a program on Flyball."""

    def __init__(self):
        super().__init__("flyball", gdb.COMMAND_STATUS, prefix=True)


class List(gdb.Command):
    """Lists the threads: number, name, state, priority, stack in use."""

    def __init__(self):
        super().__init__("flyball threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        running = machine().running()
        print(f"{'':>3} {'name':16} {'state':8} {'priority':>8} {'stack':>15}  runs")
        for index, thread in enumerate(threads(), 1):
            used = "?"
            context = None
            if thread.at in running:
                state = "running"
                here = gdb.selected_thread()
                running[thread.at].switch()
                pointer = int(gdb.parse_and_eval("(unsigned long) $sp"))
                here.switch()
            else:
                state = "mutex" if thread.is_locking else "waits"
                context = thread.context()
                pointer = thread.machine.registers(context)["sp"] if context else 0
            if thread.has_ended:
                state = "ended"
            elif thread.low <= pointer <= thread.at:
                used = str(thread.at - pointer)
            stack = f"{used}/{thread.at - thread.low}"
            print(f"{index:>3} {thread.label:16} {state:8} {thread.priority:>8} {stack:>15}  {thread.routine()}")


class Backtrace(gdb.Command):
    """Shows where a thread is: flyball bt NUMBER, or all."""

    def __init__(self):
        super().__init__("flyball bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        every = threads()
        running = machine().running()
        if argument == "all":
            chosen = range(1, len(every) + 1)
        elif argument.isdigit() and 1 <= int(argument) <= len(every):
            chosen = [int(argument)]
        else:
            raise gdb.GdbError(f"flyball bt NUMBER, from 1 to {len(every)}, or flyball bt all")
        for index in chosen:
            thread = every[index - 1]
            print(f"thread {index} {thread.label}")
            self.show(thread, running)

    def show(self, thread, running):
        here = gdb.selected_thread()
        if thread.at in running:
            running[thread.at].switch()
            gdb.execute("bt")
            here.switch()
            return
        context = thread.context()
        if context is None:
            print("  it has no registers: it has ended")
            return
        # The registers of the CPU are lent to the thread, as GDB unwinds from those alone.
        registers = thread.machine.registers(context)
        kept = {name: int(gdb.parse_and_eval(f"(unsigned long) ${name}")) for name in registers}
        try:
            for name, content in registers.items():
                gdb.execute(f"set ${name} = {content:#x}")
            gdb.execute("bt")
        finally:
            for name, content in kept.items():
                gdb.execute(f"set ${name} = {content:#x}")


Flyball()
List()
Backtrace()
