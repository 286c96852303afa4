/** What a thrown error means to the client; only here is an error "internal". */
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

/** What the log says of a request that failed. */
export interface FailedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Where the server numbers its requests. */
  readonly id?: string;
}

/** Says what an error of a feature means; undefined where it does not know it. */
type Explanation = (error: unknown) => Refusal | undefined;

/**
 * One for the server. The filter of Nest and the express lane ask it, so that both answer alike.
 */
export class Failures {
  private readonly explanations: Explanation[] = [];

  constructor(private readonly log: Logger) {}

  /** Errors that `explain` knows are expected ones from now on. */
  explain(explain: Explanation): void {
    this.explanations.push(explain);
  }

  /** The refusal that an error ends a request with; an unexpected error is logged. */
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

/** What is answered where the disk is damaged under what is asked for; streams end by it. */
export function damageRefusal(damage: DamagedData): Refusal {
  const { lastGoodOffset } = damage.range;
  const next = damage instanceof DamagedOffsets ? { nextGoodOffset: damage.offsets.until } : {};
  const details = { code: 'DATA_DAMAGED', lastGoodOffset, ...next };
  return new Refusal('failed', damageText(damage), undefined, details);
}

/** Names the place within the data folder: where that lies is no business of clients. */
export function damageText({ range: { file, from, to } }: DamagedData): string {
  const [place = 'its data folder'] = /logs[\\/].*$/.exec(file) ?? [];
  return (
    `data on the disk is damaged and cannot be read: ${place}, bytes ${from} to ${to}; ` +
    'stepwell journal verify says what else is'
  );
}
