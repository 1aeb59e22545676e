// A call of a function that a class does not have yet ends the program. Ends with 134. Says "^pure virtual method called$".
struct Base {
  Base() { call(); }
  void call();
  virtual void meet() = 0;
};

struct Derived : Base {
  void meet() override {}
};

[[gnu::noinline]] void Base::call() {
  // So that the compiler does not know which class it is.
  Base *volatile base = this;
  base->meet();
}

int main() {
  Derived derived;
  return 1;
}
