//! Settings that a policy cannot have are refused, with what it may have.

use flyball_catalogue::Setting;
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
