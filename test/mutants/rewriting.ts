/** Bugs of taking records out of what is stored. */
import type { Mutant } from './mutant.js';

const crashes = 'test/storage/crash.test.ts';
const sweeps = 'test/storage/compaction/sweep.test.ts';
const compactions = 'test/storage/compaction/compaction.test.ts';

export const rewritingMutants: readonly Mutant[] = [
  {
    name: 'offsets-do-not-fit',
    story: 'KAFKA-6264: the distance between offsets of a cleaned segment overflows 32 bits',
    changes: [
      {
        file: 'storage/compaction/group-rewrite.ts',
        from: '<= offsetsMax;',
        to: '<= offsetsMax * 2 ** 16;',
      },
    ],
    tests: ['test/storage/compaction/segment-merge.test.ts'],
    named: 'which neighbours',
  },
  {
    name: 'rewritten-file-is-not-synced',
    story: 'NATS #8475, #8456: the file that a compaction has written is used before its flush',
    changes: [
      {
        file: 'storage/compaction/segment-replacement.ts',
        from: '    await store.fileSync.sync(file);\n    return { segment, digest:',
        to: '    return { segment, digest:',
      },
    ],
    tests: [crashes],
    named: 'compaction',
  },
  {
    name: 'rewritten-records-are-others',
    story: 'NATS #8312: a compaction writes encoded blocks that decode to other records',
    changes: [
      {
        file: 'storage/compaction/remains.ts',
        from: '    baseOffset: header.baseOffset,\n    nextOffset',
        to: '    baseOffset: kept[0]?.record.offset ?? header.baseOffset,\n    nextOffset',
      },
    ],
    tests: [compactions],
  },
  {
    name: 'trimmed-segment-comes-back',
    story: 'NATS, May 2026: a rewrite that overlaps a purge brings the purged block back',
    changes: [
      {
        file: 'storage/log/log-upkeep.ts',
        from: '    const done = this.last.then(async () => {',
        to: '    const done = Promise.resolve().then(async () => {',
      },
    ],
    tests: [sweeps],
  },
  {
    name: 'replacement-is-not-listed',
    story: 'Kurrent #4264: a compacted file is swapped in, and what points at it is not moved',
    changes: [
      {
        file: 'storage/compaction/group-rewrite.ts',
        from: "      await store.manifest.edit({ type: 'segmentsReplaced', id, replaced, by });",
        to: '      void [replaced, by];',
      },
    ],
    tests: [crashes],
    named: 'compaction',
  },
  {
    name: 'number-is-not-reserved',
    story: 'of our own: a file of a rewrite that a crash has ended keeps the store shut',
    changes: [
      {
        file: 'storage/compaction/group-rewrite.ts',
        from: "await store.manifest.edit({ type: 'numbersReserved', id, nextNumber: number + 1 });",
        to: '',
      },
    ],
    tests: [crashes],
    named: 'compaction',
  },
  {
    name: 'tombstone-goes-before-what-it-hides',
    story: 'of our own: a tombstone goes while an older record of its key is still there',
    changes: [
      {
        file: 'storage/compaction/compaction.ts',
        from: '    if (key === null || offset >= until) return true;',
        to: '    if (key === null || (offset >= until && value !== null)) return true;',
      },
    ],
    tests: [compactions, crashes],
    named: 'few keys|meets a compaction',
  },
  {
    name: 'swept-before-the-reason-is-durable',
    story: 'Restate #4824: the log is trimmed before what makes it superfluous is stored',
    changes: [
      {
        file: 'storage/compaction/selective-rewrite.ts',
        from: '      await this.settled();\n',
        to: '',
      },
    ],
    tests: [sweeps],
    named: 'durable',
  },
  {
    name: 'archived-copy-is-not-read-back',
    story: 'of our own: records go although their copy in the archive holds something else',
    changes: [
      {
        file: 'storage/compaction/segment-archive.ts',
        from: '  if ((await digestAt(disk, aside, end, throwIfStopped)) !== digest) {',
        to: '  if (length < 0) {',
      },
    ],
    tests: ['test/storage/compaction/segment-archive.test.ts'],
  },
  {
    name: 'life-is-swept-that-goes-on',
    story: 'Restate #4824: what is still needed is trimmed, as no snapshot was asked for',
    changes: [
      {
        file: 'src/engine/history/sweep-mark.ts',
        from: '    return first !== undefined && offset >= Math.max(first',
        to: '    return first !== undefined && offset > Math.max(first',
      },
    ],
    tests: ['test/engine/history/sweep-mark.test.ts', 'test/engine/history/sweep-crashes.test.ts'],
  },
];
