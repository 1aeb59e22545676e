//! The rows of a unit as a Parquet file, and back.
//!
//! One row a set: `scenario`, `cap`, `set`, `tasks`, `utilisation`, and a column for each label
//! with whether the set is accepted; null if the tests gave up. Nothing in it depends on when or
//! where it was written.

use crate::judge::{Label, labels};
use crate::unit::{Row, Unit};
use flyball_model::Study;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::ColumnReader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use std::num::TryFromIntError;
use std::sync::Arc;

/// The columns before those of the labels.
const FIRST: [(&str, Physical); 5] = [
    ("scenario", Physical::BYTE_ARRAY),
    ("cap", Physical::DOUBLE),
    ("set", Physical::INT32),
    ("tasks", Physical::INT32),
    ("utilisation", Physical::DOUBLE),
];

/// The file.
pub(super) fn write(study: &Study, unit: Unit, rows: &[Row]) -> Vec<u8> {
    let labels = labels(study);
    // What is written to memory, by a schema that is built here, cannot fail: a study has at most a
    // million sets of a cap, and a set has at most `MOST_TASKS` tasks.
    encode(study, unit, &labels, rows).expect("memory takes what fits the schema")
}

/// Numbers of a column, if they fit.
type Numbers = std::result::Result<Vec<i32>, TryFromIntError>;

fn encode(study: &Study, unit: Unit, labels: &[Label], rows: &[Row]) -> Result<Vec<u8>> {
    let properties = WriterProperties::builder()
        .set_created_by(concat!("Flyball ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_statistics_enabled(EnabledStatistics::None);
    let mut bytes = Vec::new();
    let mut writer =
        SerializedFileWriter::new(&mut bytes, schema(labels)?, Arc::new(properties.build()))?;
    let mut group = writer.next_row_group()?;
    let scenario = ByteArray::from(unit.scenario(study).name().as_str());
    column::<ByteArrayType>(&mut group, &vec![scenario; rows.len()], None)?;
    column::<DoubleType>(&mut group, &vec![unit.cap(study).cpus(); rows.len()], None)?;
    let sets = rows.iter().map(|row| i32::try_from(row.set));
    let tasks = rows.iter().map(|row| i32::try_from(row.tasks));
    for numbers in [sets.collect::<Numbers>(), tasks.collect()] {
        let numbers = numbers.map_err(|_| fault("a number does not fit"))?;
        column::<Int32Type>(&mut group, &numbers, None)?;
    }
    let utilisations: Vec<f64> = rows.iter().map(|row| row.utilisation).collect();
    column::<DoubleType>(&mut group, &utilisations, None)?;
    for place in 0..labels.len() {
        let verdicts = rows.iter().map(|row| row.verdicts[place]);
        let levels: Vec<i16> = verdicts.clone().map(|it| i16::from(it.is_some())).collect();
        let known: Vec<bool> = verdicts.flatten().collect();
        column::<BoolType>(&mut group, &known, Some(&levels))?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

fn schema(labels: &[Label]) -> Result<TypePtr> {
    let first = FIRST.iter().map(|&(name, physical)| {
        let text = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, physical).with_logical_type(text);
        field.with_repetition(Repetition::REQUIRED).build()
    });
    let verdicts = labels.iter().map(|label| {
        let field = Type::primitive_type_builder(&label.name, Physical::BOOLEAN);
        field.with_repetition(Repetition::OPTIONAL).build()
    });
    let fields = first.chain(verdicts).map(|field| field.map(Arc::new));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(
        Type::group_type_builder("sets")
            .with_fields(fields)
            .build()?,
    ))
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<()> {
    let mut column = group
        .next_column()?
        .ok_or_else(|| fault("a column too many"))?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}

fn fault(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// The rows of a file whose bytes are known to be what [`write`] wrote.
///
/// # Errors
/// What is wrong with it, if it is not.
pub(super) fn read(
    study: &Study,
    unit: Unit,
    bytes: Vec<u8>,
) -> std::result::Result<Vec<Row>, String> {
    let rows = decode(study, bytes).map_err(|error| error.to_string())?;
    if rows.iter().map(|row| row.set).eq(unit.sets(study)) {
        Ok(rows)
    } else {
        Err("it has other sets than its unit".into())
    }
}

fn decode(study: &Study, bytes: Vec<u8>) -> Result<Vec<Row>> {
    let labels = labels(study);
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name());
    let expected = FIRST.iter().map(|&(name, _)| name);
    if !names.eq(expected.chain(labels.iter().map(|label| label.name.as_str()))) {
        return Err(fault("it has other columns than the study"));
    }
    let group = reader.get_row_group(0)?;
    let count = usize::try_from(group.metadata().num_rows()).map_err(|_| fault("no rows"))?;
    let whole = |place| -> Result<Vec<i32>> {
        let mut values = Vec::new();
        let ColumnReader::Int32ColumnReader(mut column) = group.get_column_reader(place)? else {
            return Err(fault("a column is of another type"));
        };
        column.read_records(count, None, None, &mut values)?;
        Ok(values)
    };
    let (sets, tasks) = (whole(2)?, whole(3)?);
    let mut utilisations = Vec::new();
    let ColumnReader::DoubleColumnReader(mut column) = group.get_column_reader(4)? else {
        return Err(fault("a column is of another type"));
    };
    column.read_records(count, None, None, &mut utilisations)?;
    let verdicts: Vec<_> = (0..labels.len())
        .map(|place| verdicts(&*group, FIRST.len() + place, count))
        .collect::<Result<_>>()?;
    if [sets.len(), tasks.len(), utilisations.len()]
        .iter()
        .any(|&len| len != count)
    {
        return Err(fault("a column is too short"));
    }
    let negative = |_| fault("a number is below zero");
    let row = |place: usize| {
        Ok(Row {
            set: u32::try_from(sets[place]).map_err(negative)?,
            tasks: usize::try_from(tasks[place]).map_err(negative)?,
            utilisation: utilisations[place],
            verdicts: verdicts.iter().map(|column| column[place]).collect(),
        })
    };
    (0..count).map(row).collect()
}

/// A column of verdicts.
fn verdicts(group: &dyn RowGroupReader, place: usize, count: usize) -> Result<Vec<Option<bool>>> {
    let ColumnReader::BoolColumnReader(mut column) = group.get_column_reader(place)? else {
        return Err(fault("a column is of another type"));
    };
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    column.read_records(count, Some(&mut levels), None, &mut values)?;
    if levels.len() != count {
        return Err(fault("a column is too short"));
    }
    let mut values = values.into_iter();
    Ok(levels
        .iter()
        .map(|&level| if level == 0 { None } else { values.next() })
        .collect())
}
