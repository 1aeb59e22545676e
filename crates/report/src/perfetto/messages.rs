//! The part of Perfetto's schema that is written here, with the numbers and types of
//! `perfetto_trace.proto`. Names are theirs.

use prost::Message;

/// The number of the field that holds a part of the native trace; see [`TracePacket::native`].
/// Perfetto has no field of that number and keeps none free there.
pub const NATIVE_FIELD: u32 = 5000;

/// `TracePacket.SequenceFlags`: what came before in the sequence is not needed.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// `TracePacket.SequenceFlags`: interned names of the sequence are.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// `TrackEvent.Type`: a slice begins.
pub const TYPE_SLICE_BEGIN: i32 = 1;
/// `TrackEvent.Type`: the slice that began last ends.
pub const TYPE_SLICE_END: i32 = 2;
/// `TrackEvent.Type`: something without duration.
pub const TYPE_INSTANT: i32 = 3;
/// `TrackEvent.Type`: a counter has a new value.
pub const TYPE_COUNTER: i32 = 4;

/// `TrackDescriptor.ChildTracksOrdering`: by the children's ranks.
pub const CHILD_ORDERING_EXPLICIT: i32 = 3;
/// `TrackDescriptor.SiblingMergeBehavior`: tracks stay apart even where their names are the same.
pub const SIBLING_MERGE_NONE: i32 = 2;
/// `CounterDescriptor.Unit`: a length of time.
pub const UNIT_TIME_NS: i32 = 1;
/// `CounterDescriptor.Unit`: a number of things.
pub const UNIT_COUNT: i32 = 2;

/// A whole file.
#[derive(Clone, PartialEq, Message)]
pub struct Trace {
    /// All that there is.
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<TracePacket>,
}

/// The unit of a file.
#[derive(Clone, PartialEq, Message)]
pub struct TracePacket {
    /// When, in nanoseconds.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    /// The sequence that the packet belongs to.
    #[prost(uint32, optional, tag = "10")]
    pub trusted_packet_sequence_id: Option<u32>,
    /// Something that happened.
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    /// Names that events refer to by number.
    #[prost(message, optional, tag = "12")]
    pub interned_data: Option<InternedData>,
    /// A sum of `SEQ_…`.
    #[prost(uint32, optional, tag = "13")]
    pub sequence_flags: Option<u32>,
    /// A track that events refer to.
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
    /// Nothing of the sequence was lost before this.
    #[prost(bool, optional, tag = "87")]
    pub first_packet_on_sequence: Option<bool>,
    /// Ours: a part of the trace in its own format.
    #[prost(bytes = "vec", optional, tag = "5000")]
    pub native: Option<Vec<u8>>,
}

/// A row of the chart.
#[derive(Clone, PartialEq, Message)]
pub struct TrackDescriptor {
    /// How events name it.
    #[prost(uint64, optional, tag = "1")]
    pub uuid: Option<u64>,
    /// What it is called.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// It stands for a process.
    #[prost(message, optional, tag = "3")]
    pub process: Option<ProcessDescriptor>,
    /// The track that it is in.
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    /// It is a counter.
    #[prost(message, optional, tag = "8")]
    pub counter: Option<CounterDescriptor>,
    /// How the tracks in it are sorted.
    #[prost(int32, optional, tag = "11")]
    pub child_ordering: Option<i32>,
    /// Its place among the tracks with the same parent.
    #[prost(int32, optional, tag = "12")]
    pub sibling_order_rank: Option<i32>,
    /// Whether it may become one with others.
    #[prost(int32, optional, tag = "15")]
    pub sibling_merge_behavior: Option<i32>,
}

/// What is shown as a process.
#[derive(Clone, PartialEq, Message)]
pub struct ProcessDescriptor {
    /// Its number.
    #[prost(int32, optional, tag = "1")]
    pub pid: Option<i32>,
    /// Its name.
    #[prost(string, optional, tag = "6")]
    pub process_name: Option<String>,
}

/// What a counter counts.
#[derive(Clone, PartialEq, Message)]
pub struct CounterDescriptor {
    /// In which unit.
    #[prost(int32, optional, tag = "3")]
    pub unit: Option<i32>,
    /// What the unit is called, where it is none of `UNIT_…`.
    #[prost(string, optional, tag = "6")]
    pub unit_name: Option<String>,
}

/// Something that happened on a track.
#[derive(Clone, PartialEq, Message)]
pub struct TrackEvent {
    /// Classes of events, by number.
    #[prost(uint64, repeated, packed = "false", tag = "3")]
    pub category_iids: Vec<u64>,
    /// Details.
    #[prost(message, repeated, tag = "4")]
    pub debug_annotations: Vec<DebugAnnotation>,
    /// One of `TYPE_…`.
    #[prost(int32, optional, tag = "9")]
    pub r#type: Option<i32>,
    /// Its name, by number.
    #[prost(uint64, optional, tag = "10")]
    pub name_iid: Option<u64>,
    /// The track.
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
    /// The counter's new value.
    #[prost(int64, optional, tag = "30")]
    pub counter_value: Option<i64>,
    /// The same, where it need not be whole.
    #[prost(double, optional, tag = "44")]
    pub double_counter_value: Option<f64>,
    /// Arrows that begin here, by number.
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    pub flow_ids: Vec<u64>,
    /// Arrows that end here.
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    pub terminating_flow_ids: Vec<u64>,
}

/// A detail of an event.
#[derive(Clone, PartialEq, Message)]
pub struct DebugAnnotation {
    /// Its name, by number.
    #[prost(uint64, optional, tag = "1")]
    pub name_iid: Option<u64>,
    /// Its value.
    #[prost(uint64, optional, tag = "3")]
    pub uint_value: Option<u64>,
}

/// Names by number.
#[derive(Clone, PartialEq, Message)]
pub struct InternedData {
    /// Of classes of events.
    #[prost(message, repeated, tag = "1")]
    pub event_categories: Vec<Interned>,
    /// Of events.
    #[prost(message, repeated, tag = "2")]
    pub event_names: Vec<Interned>,
    /// Of details.
    #[prost(message, repeated, tag = "3")]
    pub debug_annotation_names: Vec<Interned>,
}

/// A number and its name: `EventCategory`, `EventName` and `DebugAnnotationName`, which are alike.
#[derive(Clone, PartialEq, Message)]
pub struct Interned {
    /// The number; not zero.
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    /// The name.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
}
