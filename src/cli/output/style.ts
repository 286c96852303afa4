/** Colours of the terminal. A state has a sign as well, so that it can be read without colours. */

/**
 * Codes of ECMA-48 ("select graphic rendition"), on and off; no other codes are sent to a terminal.
 */
export const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
} as const;

/** A colour for a state, a title or a number. */
export type Colour = keyof typeof codes;

/** Colours a text, or returns it unchanged if colours are off. */
export type Paint = (colour: Colour, text: string) => string;

/** Returns texts unchanged; used if colours are off. */
export const plain: Paint = (_colour, text) => text;

/** Encloses a text in terminal codes; the text must not contain any itself (ADR 77). */
export const coloured: Paint = (colour, text) => {
  const [on, off] = codes[colour];
  return `\x1b[${on}m${text}\x1b[${off}m`;
};

/** How a state is shown: its sign and its colour. */
interface StateLook {
  readonly sign: string;
  readonly colour: Colour;
}

const good: StateLook = { sign: '✓', colour: 'green' };
const bad: StateLook = { sign: '✗', colour: 'red' };
const ended: StateLook = { sign: '■', colour: 'dim' };
const going: StateLook = { sign: '▶', colour: 'blue' };
const again: StateLook = { sign: '↻', colour: 'yellow' };
const still: StateLook = { sign: '○', colour: 'cyan' };

/** States of messages, runs and steps, as the API names them in lower case (messaging.md 9). */
const looks: Readonly<Record<string, StateLook>> = {
  delivered: good,
  succeeded: good,
  success: good,
  run_success: good,
  step_success: good,
  failed: bad,
  error: bad,
  fail: bad,
  run_failed: bad,
  step_failed: bad,
  canceled: ended,
  cancel_requested: ended,
  run_canceled: ended,
  step_canceled: ended,
  retry: again,
  step_retry: again,
  active: going,
  in_progress: going,
  running: going,
  run_started: going,
  step_progress: going,
  calling: going,
  invoking: going,
};

/** `✓ delivered` in its colour. An unknown state is shown as waiting. */
export function shownState(state: string, paint: Paint): string {
  const { sign, colour } = looks[state.toLowerCase()] ?? still;
  return paint(colour, `${sign} ${state.toLowerCase().replace(/^(run|step)_/, '')}`);
}
