/** A value that is made when it is first asked for. Pure. */

/** Calls `make` at most once, and gives what it made to every caller. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
