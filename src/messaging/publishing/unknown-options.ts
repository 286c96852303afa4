/**
 * Option headers that this server does not read. Clients of other versions may send them, so they
 * are not errors. But a typo would silently mean the default, so the sender is warned. Pure.
 */

import { titleCase } from '../../grammar/headers.js';
import type { MessageHeaders, OptionHeaders } from '../../http/dialect.js';
import { isUnknown, readOptions } from './option-reader.js';

/** Something that the sender of a request is warned about. */
export interface OptionWarning {
  readonly warning: string;
}

/** The warnings of most requests. */
export const noWarnings: readonly OptionWarning[] = [];

/**
 * An option that this server does not read. It is compared with those that are read only if that is
 * asked for: of the thousands in a batch, the answer names a few.
 */
export class UnknownOption implements OptionWarning {
  private looked: string | null | undefined;

  constructor(
    private readonly prefix: string,
    private readonly option: string,
  ) {}

  /** In the spelling of its dialect: `unknown option Svc-Retrys; did you mean Svc-Retries?`. */
  get warning(): string {
    const { prefix, option, selected } = this;
    // Batch items and queries may name options that no header can carry.
    const shown = titleCase(option.slice(0, nameLengthMax).replace(/[^!-~]/g, '?'));
    const said = `unknown option ${prefix}${shown}`;
    return selected === null ? said : `${said}; did you mean ${prefix}${titleCase(selected)}?`;
  }

  /** Whether the option resembles one that is read. */
  get isMisspelt(): boolean {
    return this.selected !== null;
  }

  /** The option that its sender may have meant; null = it resembles none. */
  private get selected(): string | null {
    this.looked ??= this.option.length <= nameLengthMax ? nearest(this.option) : null;
    return this.looked;
  }
}

const none: readonly UnknownOption[] = [];
const nameLengthMax = 64;
/** Limit for one message: each unknown option is compared with every known one. */
const reportedMax = 4;
/** Limit for one request. */
const warningsMax = 8;
/** The share of letters in which two words may differ and still be taken for each other. */
const differenceMax = 0.45;

/** The unknown options of a message and of its callbacks. */
export function unknownOptions(said: MessageHeaders): readonly UnknownOption[] {
  const { callback, failureCallback } = said;
  let all = added(none, said);
  if (callback !== null) all = added(all, callback);
  if (failureCallback !== null) all = added(all, failureCallback);
  return all;
}

/** The value of `Stepwell-Warning`: the first few warnings, joined to fit one header. */
export function warningHeader(warnings: readonly OptionWarning[]): string {
  const named = warnings.slice(0, warningsMax);
  const first = named.map(({ warning }) => warning).join(', ');
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
    more = [...more, new UnknownOption(prefix, option)];
  }
  return more;
}

/** The known option most similar to this word; null = none is similar enough. */
function nearest(word: string): string | null {
  let best: string | null = null;
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

/** How many letters to insert, delete or replace to turn one word into the other (Levenshtein). */
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
