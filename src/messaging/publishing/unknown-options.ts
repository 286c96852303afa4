/**
 * Option headers that nothing here reads. Clients of other versions may send them, so they are no
 * error; but a typo would silently mean the default, so that its sender is warned. Pure.
 */

import { titleCase } from '../../grammar/headers.js';
import type { MessageHeaders, OptionHeaders } from '../../http/dialect.js';
import { isUnknown, readOptions } from './option-reader.js';

/** An option that nothing here reads. */
export interface UnknownOption {
  /** In the words of its dialect: `unknown option Svc-Retrys; did you mean Svc-Retries?`. */
  readonly warning: string;
  /** It looks like one that is read. */
  readonly isMisspelt: boolean;
}

const none: readonly UnknownOption[] = [];
const nameLengthMax = 64;
/** Of one message; each costs a look at every option. */
const reportedMax = 4;
/** Of one request. */
const warningsMax = 8;
/** So much of two words may differ for one to be taken for the other. */
const differenceMax = 0.45;

/** The unknown options of a message and of its callbacks. */
export function unknownOptions(said: MessageHeaders): readonly UnknownOption[] {
  const { callback, failureCallback } = said;
  let all = added(none, said);
  if (callback !== null) all = added(all, callback);
  if (failureCallback !== null) all = added(all, failureCallback);
  return all;
}

/** The value of `Stepwell-Warning`: the first few, as one header can carry them. */
export function warningHeader(warnings: readonly string[]): string {
  const first = warnings.slice(0, warningsMax).join(', ');
  const more = warnings.length - warningsMax;
  return more > 0 ? `${first}, and ${more} more` : first;
}

function added(
  all: readonly UnknownOption[],
  { prefix, options }: OptionHeaders,
): readonly UnknownOption[] {
  let more = all;
  for (const option of options.keys()) {
    if (!isUnknown(option)) continue;
    if (more.length >= reportedMax) break;
    more = [...more, unknownOption(prefix, option)];
  }
  return more;
}

function unknownOption(prefix: string, option: string): UnknownOption {
  // A batch item and a query may name what no header can carry.
  const shown = titleCase(option.slice(0, nameLengthMax).replace(/[^!-~]/g, '?'));
  const meant = option.length <= nameLengthMax ? nearest(option) : undefined;
  const said = `unknown option ${prefix}${shown}`;
  return meant === undefined
    ? { warning: said, isMisspelt: false }
    : { warning: `${said}; did you mean ${prefix}${titleCase(meant)}?`, isMisspelt: true };
}

/** The option that looks most like this word, if one looks like it at all. */
function nearest(word: string): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const option of readOptions) {
    const longer = Math.max(option.length, word.length);
    const editsMax = Math.min(longer * differenceMax, least - 1);
    if (Math.abs(option.length - word.length) > editsMax) continue;
    const edits = editsBetween(word, option);
    if (edits > editsMax) continue;
    least = edits;
    best = option;
  }
  return best;
}

/** Letters to insert, to leave out or to replace until one word is the other (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = one[row - 1] === other[column - 1] ? 0 : 1;
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + replaced,
      );
    }
    above = current;
  }
  return above[other.length] ?? 0;
}
