import fc from 'fast-check';
import {
  decodeChanges,
  encodeChanges,
  type LogChange,
} from '../../src/server/cluster/log-changes.js';
import { NewerFormat } from '../../storage/faults/storage-errors.js';
import { seed } from '../support/seed.js';

const log = fc.string({ minLength: 1 });
const offset = fc.maxSafeNat();
const change: fc.Arbitrary<LogChange> = fc.oneof(
  fc.record({
    kind: fc.constant('appended' as const),
    log,
    records: fc.record({
      baseOffset: offset,
      body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    }),
  }),
  fc.record({ kind: fc.constant('trimmed' as const), log, offset }),
  fc.record({ kind: fc.constant('dropped' as const), log }),
);

it('changes of logs are decoded from their bytes as they were encoded', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      expect(decodeChanges(encodeChanges(changes))).toEqual(changes);
    }),
    { seed },
  );
});

it('changes written by a later version stop the reader', () => {
  const written = encodeChanges([]);
  const later = Buffer.from(written);
  later[later.length - 1] = 2;
  expect(() => decodeChanges(later)).toThrow(NewerFormat);
});
