//! A heap for what is made once at the start: nothing is allocated while threads run.

use linked_list_allocator::LockedHeap;

#[global_allocator]
static HEAP: LockedHeap = LockedHeap::empty();

unsafe extern "C" {
    /// Defined by the linker's script.
    static mut __kernel_heap_start: u8;
    static mut __kernel_heap_end: u8;
}

/// Makes the heap. Once, before anything else.
#[doc(hidden)]
pub fn init() {
    let start = &raw mut __kernel_heap_start;
    let size = (&raw mut __kernel_heap_end).addr() - start.addr();
    // SAFETY: the linker keeps this stretch of memory free, and this is done once.
    unsafe { HEAP.lock().init(start, size) };
}
