/** What a grammar answers: the value, or why the text is refused. Grammars never throw. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** The text was in the grammar and means `value`. */
export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

/** The text is not in the grammar; `reason` completes the sentence "`<header>` ...". */
export function refused<T = never>(reason: string): Parsed<T> {
  return { ok: false, reason };
}
