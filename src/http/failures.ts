/** Decides what a thrown error means to the client; only this file makes an error "internal". */
import { HttpException } from '@nestjs/common';
import type { Logger } from 'pino';
import {
  DamagedData,
  DamagedOffsets,
  DiskFull,
  TooLarge,
} from '../../storage/faults/storage-errors.js';
import { Refusal } from '../grammar/result.js';
import { codeOf, diskFullRefusal, RefusalError } from './error-shapes.js';
import { loggedPath } from './logged-path.js';
import { NoRoom, noRoomRefusal } from './no-room.js';

/** The fields of a failed request for the log. */
export interface FailedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** The id of the request, if the server assigns ids. */
  readonly id?: string;
}

/** Returns what an error of a feature means; undefined if it does not know the error. */
type Explanation = (error: unknown) => Refusal | undefined;

/**
 * One instance per server. The filter of Nest and the express lane both use it, so that they answer
 * alike.
 */
export class Failures {
  private readonly explanations: Explanation[] = [];

  constructor(private readonly log: Logger) {}

  /** Registers `explain`: errors that it knows are expected from now on. */
  explain(explain: Explanation): void {
    this.explanations.push(explain);
  }

  /** The refusal with which an error ends a request; unexpected errors are logged. */
  refusalOf(error: unknown, { method, url = '', id }: FailedRequest): Refusal {
    if (error instanceof RefusalError) return error.refusal;
    if (error instanceof HttpException) {
      return new Refusal(codeOf(error.getStatus()), error.message);
    }
    if (error instanceof TooLarge) return new Refusal('too_large', error.message);
    if (error instanceof NoRoom) return noRoomRefusal;
    if (error instanceof DiskFull) return diskFullRefusal('the disk is full');
    for (const explain of this.explanations) {
      const refusal = explain(error);
      if (refusal !== undefined) return refusal;
    }
    this.log.error({ err: error, method, path: loggedPath(url), request: id }, 'request failed');
    return error instanceof DamagedData
      ? damageRefusal(error)
      : new Refusal('failed', 'internal error');
  }
}

/** The refusal if the requested data is damaged on the disk; streams end with it. */
export function damageRefusal(damage: DamagedData): Refusal {
  const { lastGoodOffset } = damage.range;
  const next = damage instanceof DamagedOffsets ? { nextGoodOffset: damage.offsets.until } : {};
  const details = { code: 'DATA_DAMAGED', lastGoodOffset, ...next };
  return new Refusal('failed', damageText(damage), undefined, details);
}

/** Names the place within the data folder; clients need not know where that folder is. */
export function damageText({ range: { file, from, to } }: DamagedData): string {
  const [place = 'its data folder'] = /logs[\\/].*$/.exec(file) ?? [];
  return (
    `data on the disk is damaged and cannot be read: ${place}, bytes ${from} to ${to}; ` +
    'stepwell journal verify says what else is'
  );
}
