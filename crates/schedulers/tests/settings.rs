//! Settings that a policy cannot have are refused, with what it may have.

use flyball_catalogue::{Configured as _, Dss, Setting};
use flyball_model::{Setting as Said, Settings, Value};
use flyball_schedulers::Values;

/// What is said of a number with a fraction.
fn said(value: Value) -> Result<u32, String> {
    let known = [Setting::decimal("part", "a part of something", "0.5")];
    let mut settings = Settings::default();
    let setting = Said { value, place: None };
    settings.values.insert("part".to_owned(), setting);
    let values = Values::new("set.toml", "mine", &known, Some(&settings));
    let values = values.map_err(|error| error.to_string())?;
    Ok(values.millionths("part"))
}

#[test]
fn a_number_with_a_fraction_is_not_negative() {
    for wrong in [Value::Decimal("-0.5".to_owned()), Value::Integer(-1)] {
        let error = said(wrong).expect_err("it is negative");
        assert!(
            error.contains("expected a number, 0 or more, found -"),
            "{error}"
        );
    }
    assert_eq!(said(Value::Decimal("0.25".to_owned())), Ok(250_000));
    assert_eq!(said(Value::Integer(0)), Ok(0));
}

/// What is said of the settings of `dss` where one has this value.
fn dss(key: &str, value: Value) -> Result<Values, String> {
    let mut settings = Settings::default();
    let setting = Said { value, place: None };
    settings.values.insert(key.to_owned(), setting);
    Values::new("set.toml", "dss", Dss::SETTINGS, Some(&settings)).map_err(|error| error.message)
}

#[test]
fn a_word_that_is_misspelt_gets_the_nearest_one() {
    let wrong = Value::Text("loose-list".to_owned());
    let expected = "expected one of: strict-lists, loose-lists, strict-walk, loose-walk, \
                    tour-lists, unsorted; found \"loose-list\" (did you mean \"loose-lists\"?)";
    assert_eq!(dss("variant", wrong).unwrap_err(), expected);
}

#[test]
fn a_table_of_costs_is_square_and_free_to_stay_in() {
    let error = |rows: &[&[u32]]| {
        let rows = rows.iter().map(|row| row.to_vec()).collect();
        dss("costs", Value::Table(rows)).err()
    };
    assert_eq!(error(&[&[0, 1_000], &[800, 0]]), None);
    for (rows, expected) in [
        (
            &[&[0, 1][..], &[2, 3]][..],
            "in row 2, column 2 is not 0: to stay is free",
        ),
        (&[&[0, 1], &[2]], "row 2 has 1 columns: one a row"),
        (&[&[][..]; 9], "there are 9 rows, and not 1 to 8"),
    ] {
        assert_eq!(error(rows).as_deref(), Some(expected));
    }
    assert_eq!(
        dss("costs", Value::Integer(3)).unwrap_err(),
        "expected a table such as [[0, 9], [7, 0]], found 3"
    );
    let values = dss("costs", Value::Table(vec![vec![0, 5], vec![6, 0]])).unwrap();
    let shown = values.shown();
    let costs = shown.iter().find(|(name, _)| name == "costs");
    assert_eq!(costs.map(|(_, shown)| &shown[..]), Some("[[0, 5], [6, 0]]"));
}

#[test]
fn settings_of_dss_that_are_out_of_range_are_refused() {
    for (key, value, expected) in [
        ("scope", 256, "`scope` is from 1 to 255"),
        ("real_time", 257, "`real_time` is from 1 to 256"),
    ] {
        let values = dss(key, Value::Integer(value)).unwrap();
        assert_eq!(Dss::new(&values, &[]).unwrap_err(), expected);
    }
    for (key, value) in [("scope", 255), ("real_time", 256), ("real_time", 1)] {
        let values = dss(key, Value::Integer(value)).unwrap();
        assert!(Dss::new(&values, &[]).is_ok(), "{key} = {value}");
    }
}
