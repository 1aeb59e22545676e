"""A bar of tqdm, if it is installed."""


class Bar:
    """Shows thousandths, from the first call on."""

    def __init__(self):
        self._bar = None

    def __call__(self, done):
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=1000, bar_format="{l_bar}{bar}| {elapsed}<{remaining}", leave=False)
        self._bar.update(done - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()
