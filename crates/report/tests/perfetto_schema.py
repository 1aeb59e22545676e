#!/usr/bin/env python3
"""Checks Perfetto traces against the schema that the Perfetto project publishes.

    python3 -m venv venv && venv/bin/pip install perfetto
    mkdir out && FLYBALL_PERFETTO_OUT=$PWD/out cargo test -p flyball-report --test perfetto
    venv/bin/python crates/report/tests/perfetto_schema.py out/*.pftrace

The classes come from the package's own copy of perfetto_trace.proto, so that a wrong field number
or type here shows there. The package's trace processor would have to be downloaded and is not used.
"""

import sys

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

NATIVE_FIELD = 5000
EVENT = pb.TrackEvent


def unknown_fields(message, path):
    """Every field, at any depth, that the schema does not know."""
    for field in UnknownFieldSet(message):
        yield path, field.field_number
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        inner = [value] if isinstance(value, Message) else value
        for each in inner:
            yield from unknown_fields(each, f"{path}.{descriptor.name}")


def check(path):
    with open(path, "rb") as file:
        data = file.read()
    trace = pb.Trace.FromString(data)
    packets = trace.packet
    assert packets[0].sequence_flags & pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
    interned = packets[0].interned_data
    names = {entry.iid: entry.name for entry in interned.event_names}
    categories = {entry.iid: entry.name for entry in interned.event_categories}
    notes = {entry.iid: entry.name for entry in interned.debug_annotation_names}
    tracks, open_slices, last = {}, {}, 0
    counts = {"slices": 0, "instants": 0, "counters": 0, "native": 0}
    for packet in packets:
        for where, number in unknown_fields(packet, "packet"):
            assert (where, number) == ("packet", NATIVE_FIELD), (where, number)
            counts["native"] += 1
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            assert track.uuid and track.uuid not in tracks
            assert not track.HasField("parent_uuid") or track.parent_uuid in tracks
            tracks[track.uuid] = track
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        assert packet.trusted_packet_sequence_id and packet.HasField("timestamp")
        assert last <= packet.timestamp < 2**63
        last = packet.timestamp
        assert event.track_uuid in tracks
        assert all(iid in categories for iid in event.category_iids)
        assert all(note.name_iid in notes for note in event.debug_annotations)
        stack = open_slices.setdefault(event.track_uuid, [])
        if event.type == EVENT.TYPE_SLICE_BEGIN:
            assert event.name_iid in names
            stack.append(packet.timestamp)
            counts["slices"] += 1
        elif event.type == EVENT.TYPE_SLICE_END:
            assert stack, f"a slice ends at {packet.timestamp} that never began"
            assert stack.pop() < packet.timestamp
        elif event.type == EVENT.TYPE_INSTANT:
            assert event.name_iid in names
            counts["instants"] += 1
        else:
            assert event.type == EVENT.TYPE_COUNTER
            track = tracks[event.track_uuid]
            assert track.HasField("counter")
            # What is left up to a deadline is negative after it; a budget never is.
            assert event.counter_value >= 0 or track.name.endswith("deadline")
            counts["counters"] += 1
    assert not any(open_slices.values()), "a slice never ends"
    assert counts["native"] > 0
    summary = ", ".join(f"{number} {what}" for what, number in counts.items())
    print(f"{path}: {len(data)} bytes, {len(tracks)} tracks, {summary}: fits the schema")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for argument in sys.argv[1:]:
        check(argument)
