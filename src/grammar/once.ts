/** A value that is created when it is first needed. Pure. */

/** Calls `make` at most once, and returns its value to every caller. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
