//! What the firmware or the emulator tells of the machine: a flattened device tree.
//!
//! *Devicetree Specification*, release 0.4, chapters 3.8 and 5.

const MAGIC: u32 = 0xd00d_feed;
const BEGIN_NODE: u32 = 1;
const END_NODE: u32 = 2;
const PROPERTY: u32 = 3;
const NOTHING: u32 = 4;

/// The bytes of the header that are read here.
const HEADER: usize = 12;

/// What has not been read of a tree.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// So many bytes, and what aligns the next ones.
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, _) = self.0.split_at_checked(count)?;
        self.0 = self.0.get(count.next_multiple_of(4)..)?;
        Some(bytes)
    }

    fn number(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    /// The name of a node, which ends with a zero.
    fn name(&mut self) -> Option<&'a [u8]> {
        let length = self.0.iter().position(|&byte| byte == 0)?;
        self.bytes(length + 1)?.get(..length)
    }
}

/// How many nodes `/cpus/cpu@…` a tree has; `None`: it is no tree.
fn count(tree: &[u8]) -> Option<usize> {
    let structure = Reader(tree.get(8..HEADER)?).number()?;
    let mut reader = Reader(tree.get(structure as usize..)?);
    let (mut depth, mut is_inside, mut cpus) = (0, false, 0);
    loop {
        match reader.number()? {
            BEGIN_NODE => {
                let name = reader.name()?;
                depth += 1;
                // The root has the depth 1.
                if depth == 2 {
                    is_inside = name == b"cpus";
                }
                if depth == 3 && is_inside && name.starts_with(b"cpu@") {
                    cpus += 1;
                }
            }
            END_NODE => depth -= 1,
            PROPERTY => {
                let length = reader.number()?;
                reader.number()?;
                reader.bytes(length as usize)?;
            }
            NOTHING => {}
            // The end.
            _ => return Some(cpus),
        }
    }
}

/// How many CPUs the machine has, 1 if `tree` is no device tree.
///
/// # Safety
/// `tree` is what a1 was when the first hart began: null, or a device tree.
pub unsafe fn cpus(tree: *const u8) -> usize {
    if tree.is_null() {
        return 1;
    }
    // SAFETY: as the caller promises.
    let header = unsafe { core::slice::from_raw_parts(tree, HEADER) };
    let mut reader = Reader(header);
    let (magic, size) = (reader.number(), reader.number());
    let Some(size) = size.filter(|_| magic == Some(MAGIC)) else {
        return 1;
    };
    // SAFETY: as the caller promises; the header says how many bytes there are.
    let tree = unsafe { core::slice::from_raw_parts(tree, size as usize) };
    count(tree).map_or(1, |cpus| cpus.max(1))
}
