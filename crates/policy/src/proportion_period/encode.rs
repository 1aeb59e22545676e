//! Settings and requests as bytes.

use super::{BestEffort, ControllerPlace, Order, Part, Periods, Request, Sensing, Settings};
use crate::encode::Encode;
use flyball_trace::Duration;

impl Encode for Settings {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        let words = (self.order as u8, self.sensing as u8, self.best_effort as u8);
        (words, self.controller as u8).emit(put);
        (self.interval, self.limit, self.spare).emit(put);
        (self.denies, self.renegotiates).emit(put);
        let periods = &self.periods;
        (periods.threshold, periods.growth, periods.start).emit(put);
        (periods.shortest, periods.longest).emit(put);
        periods.answers_missed.emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Settings> {
        let ((order, sensing, best_effort), controller) = <((u8, u8, u8), u8)>::parse(bytes)?;
        let (interval, limit, spare) = Encode::parse(bytes)?;
        let (denies, renegotiates) = Encode::parse(bytes)?;
        let (threshold, growth, start) = Encode::parse(bytes)?;
        let (shortest, longest) = Encode::parse(bytes)?;
        let answers_missed = Encode::parse(bytes)?;
        let periods = Periods {
            threshold,
            growth,
            start,
            shortest,
            longest,
            answers_missed,
        };
        let settings = Settings {
            order: *[Order::Rate, Order::Deadline].get(usize::from(order))?,
            controller: *[ControllerPlace::Kernel, ControllerPlace::Thread]
                .get(usize::from(controller))?,
            interval,
            periods,
            limit,
            spare,
            sensing: *[Sensing::Exact, Sensing::Switch, Sensing::Sampled]
                .get(usize::from(sensing))?,
            best_effort: *[BestEffort::OpenLoop, BestEffort::LeftOver]
                .get(usize::from(best_effort))?,
            denies,
            renegotiates,
        };
        settings.check().is_ok().then_some(settings)
    }
}

impl Encode for Request {
    fn emit(&self, put: &mut dyn FnMut(&[u8])) {
        (self.share, self.period, self.importance).emit(put);
    }

    fn parse(bytes: &mut &[u8]) -> Option<Request> {
        let (share, period, importance) = <(Option<Part>, Option<Duration>, u16)>::parse(bytes)?;
        let request = Request {
            share,
            period,
            importance,
        };
        request.check().is_ok().then_some(request)
    }
}
