/** Bugs of what a start makes of what it finds. */
import type { Mutant } from './mutant.js';

const crashes = 'test/storage/crash.test.ts';
const damage = 'test/storage/damage.test.ts';
const logRecovery = 'storage/recovery/log-recovery.ts';

export const recoveryMutants: readonly Mutant[] = [
  {
    name: 'empty-segment-is-damage',
    story: 'KAFKA-13603: an active segment without a record counts as corrupt',
    changes: [
      {
        file: logRecovery,
        from: 'const written = scans.findLastIndex(isWritten) + 1;',
        to: 'const written = scans.findLastIndex(isWritten) + 2;',
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'zeros-are-left-behind-the-end',
    story: 'KAFKA-5431: the zeros that a file was made with are read as records behind its end',
    changes: [
      {
        file: 'storage/segment/segment-lifecycle.ts',
        from: '    await disk.truncate(file, end.end);\n',
        to: '',
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'cut-at-the-first-bad-record',
    story: 'NATS #7549: everything behind one flipped bit is cut off as a torn end',
    changes: [
      {
        file: logRecovery,
        from: '    return Math.max(proven, marked);',
        to: '    return Math.min(segment.end, Math.max(proven, marked));',
      },
    ],
    tests: [damage],
    named: 'kill',
  },
  {
    name: 'orphans-are-removed',
    story: 'NATS #7556: data that the metadata lost sight of is removed at a start',
    changes: [
      {
        file: 'storage/recovery/stray-files.ts',
        from: '      if (!isData) continue;',
        to: '      if (isData || !isData) continue;',
      },
      {
        file: 'storage/recovery/stray-files.ts',
        from: 'if (decided || isDerived || (await isAllZero(store, file))) {',
        to: 'if (decided || isDerived || (await isAllZero(store, file)) || segment !== null) {',
      },
    ],
    tests: [damage],
    named: 'lost or stale',
  },
  {
    name: 'length-is-used-before-it-is-checked',
    story: 'etcd #14098: the length of a record is believed before its checksum',
    changes: [
      {
        file: 'storage/format/record-batch.ts',
        from: 'start + batchHeaderLength)) !== headerChecksum) return null;',
        to: 'start + batchHeaderLength)) < 0) return null;',
      },
    ],
    tests: [damage],
    named: 'kill never loses a record silently to one',
  },
  {
    name: 'reordered-write-keeps-it-shut',
    story: 'etcd #6378: the second of two unsynced writes is on disk, and no start is possible',
    changes: [
      {
        file: 'storage/segment/segment-scan.ts',
        from: `  for await (const { durablePosition } of headersIn(disk, file, from, to, logTag)) {
    proven = Math.max(proven, durablePosition);`,
        to: `  for await (const { filePosition } of headersIn(disk, file, from, to, logTag)) {
    proven = Math.max(proven, filePosition);`,
      },
    ],
    tests: [crashes],
    named: 'part of one write',
  },
  {
    name: 'torn-first-start-keeps-it-shut',
    story: 'etcd #16596: a crash while the folder is made leaves one that never starts',
    changes: [
      {
        file: 'storage/recovery/open-directory.ts',
        from: "if (!names.includes('logs') || (await disk.list(directory.logs)).length === 0)",
        to: "if (!names.includes('logs'))",
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'torn-record-is-given-out',
    story: 'LevelDB #251: a record of which a part was written is valid after the repair',
    changes: [
      {
        file: 'storage/format/batch-scan.ts',
        from: '      this.fault = areIntact ? null : bodyFault(chunk, bodyStart, header);\n',
        to: '      void bodyFault;\n',
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'second-newest-is-not-verified',
    story: 'Kurrent #1653: only the newest file is held against what is known of its end',
    changes: [
      {
        file: logRecovery,
        from: `    if (scanned.segment.end >= proven) {
      this.checkFollows(scanned);
      this.pushToSeal(scanned.segment);`,
        to: `    if (proven >= 0) {
      this.pushToSeal(scanned.segment);`,
      },
    ],
    tests: ['test/storage/damage-growing.test.ts', crashes],
  },
  {
    name: 'lost-log-is-begun-anew',
    story: 'RocksDB: files that say what there was are missing, and it starts empty',
    changes: [
      {
        file: 'storage/recovery/open-directory.ts',
        from: '  if (loaded === null) await refuseLostManifest(disk, directory);\n  for',
        to: '  for',
      },
    ],
    tests: [damage],
    named: 'lost or stale',
  },
  {
    name: 'missing-file-is-an-empty-one',
    story: 'RocksDB: a file of the log is missing, and the start goes on without its records',
    changes: [
      {
        file: 'storage/recovery/log-files.ts',
        from: '      throw this.unreadable(new Segment(log.id, number), error);',
        to: `      if (errorCode(error) !== 'ENOENT') throw error;
      const segment = new Segment(log.id, number);
      return { header: null, segment, batches: [], size: 0, fault: null, proven: 0 };`,
      },
      {
        file: logRecovery,
        from: '? watermark.durablePosition : 0;',
        to: '? Math.min(watermark.durablePosition, segment.end) : 0;',
      },
    ],
    tests: [damage],
    named: 'gone',
  },
  {
    name: 'stale-bytes-are-believed',
    story: 'of our own: a batch of another history is believed, as it is intact and in its place',
    changes: [
      {
        file: 'storage/format/batch-scan.ts',
        from: 'if (this.chain !== null && header.previousChecksum',
        to: 'if (this.position < 0 && header.previousChecksum',
      },
    ],
    tests: [damage],
    named: 'another history',
  },
  {
    name: 'one-bad-copy-is-the-end',
    story: 'of our own: an edit that a crash has torn keeps the store shut',
    changes: [
      {
        file: 'storage/manifest/manifest-file.ts',
        from: '  if (best.end < best.bytes.length && !tornAllowed) {',
        to: '  if (best.end < best.bytes.length) {',
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'later-event-is-passed-over',
    story: 'a program from before an upgrade goes on from the part of the journal that it knows',
    changes: [
      {
        file: 'src/engine/known-events.ts',
        from: 'if (known === undefined || version > known.upcasters.length + 1) return null;',
        to: 'if (known === undefined) return this.asWritten(fields);',
      },
    ],
    tests: ['test/engine/event-codec.test.ts'],
    named: 'events of a later version',
  },
];
