//! The rows of a unit as a Parquet file, and back.
//!
//! One row a set: `scenario`, `cap`, `set`, `tasks`, `utilisation`, a column for each label with
//! whether the set is accepted, which is null if the tests gave up, and for each simulated policy
//! why it refuses the set, which is null if it does not, and the counts, which are null if it does. Nothing in it depends on when or
//! where it was written.

use crate::judge::{Label, labels};
use crate::simulate::{Simulated, counts};
use crate::unit::{Row, Unit};
use flyball_model::Study;
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
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
    // What is written to memory, by a schema that is built here, cannot fail: a study has at most a
    // million sets of a cap, and a set has at most `MOST_TASKS` tasks.
    encode(study, unit, rows).expect("memory takes what fits the schema")
}

/// Numbers of a column, if they fit.
type Numbers = std::result::Result<Vec<i32>, TryFromIntError>;

fn encode(study: &Study, unit: Unit, rows: &[Row]) -> Result<Vec<u8>> {
    let (labels, policies) = (labels(study), policies(study));
    let properties = WriterProperties::builder()
        .set_created_by(concat!("Flyball ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_statistics_enabled(EnabledStatistics::None);
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(
        &mut bytes,
        schema(&labels, &policies)?,
        Arc::new(properties.build()),
    )?;
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
    for (place, policy) in policies.iter().enumerate() {
        simulated(
            &mut group,
            &rows.iter().map(|row| &row.simulated[place]),
            policy,
        )?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

/// The names of a policy's columns: why it refuses a set, and the counts.
struct Policy {
    refused: String,
    counts: Vec<String>,
}

fn policies(study: &Study) -> Vec<Policy> {
    let Some(simulations) = &study.simulate else {
        return Vec::new();
    };
    let counts = counts(simulations);
    let columns = |policy: &String| Policy {
        refused: format!("{policy} refused"),
        counts: counts
            .iter()
            .map(|count| format!("{policy} {}", count.name()))
            .collect(),
    };
    simulations.policies.iter().map(columns).collect()
}

/// Writes the columns of a policy.
fn simulated<'r>(
    group: &mut SerializedRowGroupWriter<'_, &mut Vec<u8>>,
    rows: &(impl Iterator<Item = &'r Simulated> + Clone),
    policy: &Policy,
) -> Result<()> {
    let refused = rows.clone().map(|row| i16::from(row.is_err()));
    let refused: Vec<i16> = refused.collect();
    let reasons = rows.clone().filter_map(|row| row.as_ref().err());
    let reasons: Vec<ByteArray> = reasons.map(|why| why.as_str().into()).collect();
    column::<ByteArrayType>(group, &reasons, Some(&refused))?;
    let known: Vec<i16> = refused.iter().map(|refused| 1 - refused).collect();
    for place in 0..policy.counts.len() {
        let numbers = rows.clone().filter_map(|row| row.as_ref().ok());
        let numbers = numbers.map(|row| i64::try_from(row[place]));
        let numbers = numbers.collect::<std::result::Result<Vec<_>, _>>();
        let numbers = numbers.map_err(|_| fault("a number does not fit"))?;
        column::<Int64Type>(group, &numbers, Some(&known))?;
    }
    Ok(())
}

fn schema(labels: &[Label], policies: &[Policy]) -> Result<TypePtr> {
    let first = FIRST.iter().map(|&(name, physical)| {
        let text = (physical == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, physical).with_logical_type(text);
        field.with_repetition(Repetition::REQUIRED).build()
    });
    let verdicts = labels.iter().map(|label| {
        let field = Type::primitive_type_builder(&label.name, Physical::BOOLEAN);
        field.with_repetition(Repetition::OPTIONAL).build()
    });
    let optional = |name: &str, physical, text| {
        let field = Type::primitive_type_builder(name, physical).with_logical_type(text);
        field.with_repetition(Repetition::OPTIONAL).build()
    };
    let simulated = policies.iter().flat_map(|policy| {
        let text = Some(LogicalType::String);
        let refused = optional(&policy.refused, Physical::BYTE_ARRAY, text);
        let counts = policy.counts.iter();
        let counts = counts.map(|name| optional(name, Physical::INT64, None));
        [refused].into_iter().chain(counts).collect::<Vec<_>>()
    });
    let fields = first
        .chain(verdicts)
        .chain(simulated)
        .map(|field| field.map(Arc::new));
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
    let (labels, policies) = (labels(study), policies(study));
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes))?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter().map(|column| column.name());
    let expected = FIRST.iter().map(|&(name, _)| name);
    let expected = expected.chain(labels.iter().map(|label| label.name.as_str()));
    let of_policies = policies.iter().flat_map(|policy| {
        let counts = policy.counts.iter().map(String::as_str);
        [policy.refused.as_str()].into_iter().chain(counts)
    });
    if !names.eq(expected.chain(of_policies)) {
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
    let mut next = FIRST.len() + labels.len();
    let mut simulations = Vec::new();
    for policy in &policies {
        simulations.push(runs(&*group, next, policy.counts.len(), count)?);
        next += 1 + policy.counts.len();
    }
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
            simulated: simulations.iter().map(|rows| rows[place].clone()).collect(),
        })
    };
    (0..count).map(row).collect()
}

/// The columns of a policy, which begin at `first`: why it refuses a set, and so many numbers.
fn runs(
    group: &dyn RowGroupReader,
    first: usize,
    numbers: usize,
    count: usize,
) -> Result<Vec<Simulated>> {
    let ColumnReader::ByteArrayColumnReader(column) = group.get_column_reader(first)? else {
        return Err(fault("a column is of another type"));
    };
    let reasons = optional(column, count)?;
    let mut columns = Vec::new();
    for place in first + 1..=first + numbers {
        let ColumnReader::Int64ColumnReader(column) = group.get_column_reader(place)? else {
            return Err(fault("a column is of another type"));
        };
        columns.push(optional(column, count)?);
    }
    let row = |(place, reason): (usize, Option<ByteArray>)| {
        if let Some(reason) = reason {
            return Ok(Err(reason.as_utf8()?.to_owned()));
        }
        let number = |column: &Vec<Option<i64>>| {
            let number = column[place].and_then(|number| u64::try_from(number).ok());
            number.ok_or_else(|| fault("a number is missing, or below zero"))
        };
        Ok(Ok(columns.iter().map(number).collect::<Result<_>>()?))
    };
    reasons.into_iter().enumerate().map(row).collect()
}

/// A column of verdicts.
fn verdicts(group: &dyn RowGroupReader, place: usize, count: usize) -> Result<Vec<Option<bool>>> {
    let ColumnReader::BoolColumnReader(column) = group.get_column_reader(place)? else {
        return Err(fault("a column is of another type"));
    };
    optional(column, count)
}

/// All values of a column, with gaps.
fn optional<T: DataType>(
    mut column: ColumnReaderImpl<T>,
    count: usize,
) -> Result<Vec<Option<T::T>>> {
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
