//! Figures with a table in front of them, as one HTML page that needs nothing else.

use super::{Figure, page, svg};
use crate::html::{STYLE as REPORT_STYLE, head};
use maud::{DOCTYPE, html};

/// What is on the page.
#[derive(Clone, PartialEq, Debug)]
pub struct Gallery {
    /// What sort of page it is.
    pub kicker: String,
    /// What it is called.
    pub title: String,
    /// What is to be seen, in a few sentences.
    pub about: String,
    /// What it was made with: names and values.
    pub settings: Vec<(String, String)>,
    /// What the table is called.
    pub caption: String,
    /// The table: its first row has the names of the columns, and each first cell is the row's
    /// name.
    pub table: Vec<Vec<String>>,
    /// What concerns all of it.
    pub notes: Vec<String>,
    /// The figures.
    pub figures: Vec<Figure>,
    /// The command that made it.
    pub command: String,
}

/// The page.
pub fn html(gallery: &Gallery) -> String {
    let (columns, rows) = match gallery.table.split_first() {
        Some((columns, rows)) => (&columns[..], rows),
        None => (&[][..], &[][..]),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&gallery.title, &[REPORT_STYLE, svg::STYLE, page::STYLE]))
            body {
                a.skip href="#figures" { "Skip to the figures" }
                header {
                    p.kicker { (gallery.kicker) }
                    h1 { (gallery.title) }
                    p.source { (gallery.about) }
                }
                main {
                    section aria-labelledby="table-title" {
                        h2 #table-title { (gallery.caption) }
                        dl.settings {
                            @for (name, value) in &gallery.settings {
                                div { dt { (name) } dd { (value) } }
                            }
                        }
                        div.scroll tabindex="0" role="region" aria-labelledby="table-title" {
                            table {
                                thead { tr { @for column in columns { th scope="col" { (column) } } } }
                                tbody {
                                    @for row in rows {
                                        tr {
                                            @for (n, cell) in row.iter().enumerate() {
                                                @if n == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                        @if !gallery.notes.is_empty() {
                            ul.notes { @for note in &gallery.notes { li { (note) } } }
                        }
                    }
                    section #figures {
                        h2 { "Figures" }
                        @for figure in &gallery.figures { (page::figure_of(figure)) }
                    }
                }
                footer { p { "Made by " code { (gallery.command) } "." } }
            }
        }
    };
    page.into_string()
}
