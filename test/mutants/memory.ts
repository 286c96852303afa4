/** Bugs of what is remembered of a log: snapshots, and what replay makes of what it reads. */
import type { Mutant } from './mutant.js';

const snapshots = 'storage/snapshot/snapshots.ts';
const snapshotTests = 'test/storage/snapshot/snapshots.test.ts';
const keeperTests = 'test/engine/snapshots/snapshot-keeper.test.ts';

export const memoryMutants: readonly Mutant[] = [
  {
    name: 'unfinished-snapshot-is-accepted',
    story: 'NATS #8101: a snapshot that was being written is used as a whole one',
    changes: [
      {
        file: snapshots,
        from: 'const aside = directory.asideFile(',
        to: 'const aside = this.path(name) ?? directory.asideFile(',
      },
      {
        file: snapshots,
        from: "        if (part === null) return 'it is damaged';",
        to: '        void part;',
      },
    ],
    tests: [snapshotTests],
  },
  {
    name: 'snapshot-is-ahead-of-the-log',
    story: 'NATS #6888: after a kill the snapshot knows of records that the log has not',
    changes: [
      {
        file: snapshots,
        from: '      if (header.offset > until) return',
        to: '      if (header.offset < 0) return',
      },
    ],
    tests: [snapshotTests],
  },
  {
    name: 'snapshot-outlives-a-sweep',
    story: 'NATS #6888: a stale snapshot is put in front of a log that goes on otherwise',
    changes: [
      {
        file: 'src/engine/snapshots/snapshot-keeper.ts',
        from: `    await this.snapshots.removeBefore(edge);
    if (this.latestOffset < edge) this.found(null);
`,
        to: '',
      },
    ],
    tests: [keeperTests],
  },
  {
    name: 'bad-state-is-left-out',
    story: 'NATS, January 2026: a consumer whose state does not read is removed in silence',
    changes: [
      {
        file: 'src/engine/actor-directory.ts',
        from: '} else if (sequence !== length) throw new BrokenStream(envelope, length);',
        to: '} else if (sequence !== length) return false;',
      },
    ],
    tests: ['test/engine/history/sweep-mark.test.ts'],
  },
  {
    name: 'gap-is-passed-over',
    story: 'NATS, January 2026: a stream with a hole is served from behind the hole',
    changes: [
      {
        file: 'src/engine/resting/gaps.ts',
        from: '      throw new BrokenStream(envelope, lengthOf(envelope.id));',
        to: '      void [envelope, lengthOf];',
      },
    ],
    tests: ['test/engine/history/checkpoints.test.ts'],
  },
  {
    name: 'duplicate-is-taken-after-a-restart',
    story: 'Redpanda #3039: what tells a repetition is lost at a restart, and it is stored twice',
    changes: [
      {
        file: 'src/messaging/messages/deduplication.projection.ts',
        from: '    maps: { publishes: this.publishes },',
        to: '    maps: {},',
      },
    ],
    tests: ['test/messaging/messages/message.decider.laws.test.ts'],
  },
];
