/** Bugs of when something counts as stored. */
import type { Mutant } from './mutant.js';

const crashes = 'test/storage/crash.test.ts';
const failures = 'test/storage/failure.test.ts';
const segmentWriter = 'storage/log/segment-writer.ts';

export const durabilityMutants: readonly Mutant[] = [
  {
    name: 'new-name-is-not-synced',
    story: 'KAFKA-3968, etcd #6368: a new segment is used before the fsync of its directory',
    changes: [
      {
        file: 'storage/segment/segment-lifecycle.ts',
        from: `    await disk.rename(aside, path);
    await store.fileSync.mustSyncDirectory(directory.log(logId));
    await store.manifest`,
        to: `    await disk.rename(aside, path);
    await store.manifest`,
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'marker-goes-after-the-load',
    story: 'KAFKA-10471: the mark of a clean stop goes late, and the next crash counts as one',
    changes: [
      {
        file: 'storage/recovery/open-directory.ts',
        from: '{ ...before, epoch: before.epoch + 1, closed: null }',
        to: '{ ...before, epoch: before.epoch + 1 }',
      },
      {
        file: 'storage/recovery/open-directory.ts',
        from: 'manifest.state = { ...manifest.state, dropped: [] };',
        to: 'manifest.state = { ...manifest.state, dropped: [], closed: null };',
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'appends-after-an-error',
    story: 'KAFKA-10778: a log takes appends after one of them met an I/O error',
    changes: [
      {
        file: 'storage/log/partition-log.ts',
        from: `  fence(error: Error): void {
    this.refuse(error);
    this.commit.refuse(error);`,
        to: `  fence(error: Error): void {
    void error;`,
      },
      {
        file: 'storage/log/group-commit.ts',
        from: `    ending?.refuse(failure);
    this.refuse(failure);`,
        to: '    ending?.refuse(failure);',
      },
    ],
    tests: [failures],
  },
  {
    name: 'edit-is-not-synced',
    story: 'KAFKA-16541: a checkpoint file is written and not flushed',
    changes: [
      {
        file: 'storage/manifest/manifest-file.ts',
        from: `        throw new DiskFull('writing the manifest', error);
      }
      await this.disk.sync(file);`,
        to: `        throw new DiskFull('writing the manifest', error);
      }`,
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'acknowledged-before-the-fdatasync',
    story: 'NATS #7564: a write is acknowledged that was never flushed',
    changes: [
      {
        file: segmentWriter,
        from: 'return fileSync.mustWrite(file, bytes, position);',
        to: 'return writeFully(disk, file, bytes, position);',
      },
      {
        file: segmentWriter,
        from: '    await fileSync.syncOwn(file);\n    if (writeAhead',
        to: '    if (writeAhead',
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'acknowledged-beside-the-write',
    story: 'etcd #14370: an entry is applied and answered while it is still being saved',
    changes: [
      {
        file: 'storage/log/group-commit.ts',
        from: '    const full = await this.target.write(group);',
        to: `    group.commit.settle();
    const full = await this.target.write(group);`,
      },
    ],
    tests: [crashes],
    named: 'small workloads',
  },
  {
    name: 'durable-is-ahead-on-a-full-disk',
    story: 'Kurrent #3642: a write finds no room, and the checkpoint says that it was made',
    changes: [
      {
        file: segmentWriter,
        from: '    const { position, parts } = this.place(segment, group);\n',
        to: `    const { position, parts } = this.place(segment, group);
    this.durable = position + group.byteLength;
`,
      },
      {
        file: segmentWriter,
        from: `      await this.store.fileSync.mustSync(handle);
    });
    this.durable = segment.end;`,
        to: `      await this.store.fileSync.mustSync(handle);
    });`,
      },
    ],
    tests: ['test/storage/full-disk.test.ts'],
  },
  {
    name: 'offsets-are-given-out-again',
    story: 'Redpanda #3003: offsets of records that a crash has lost are given to other records',
    changes: [
      {
        file: 'storage/recovery/log-recovery.ts',
        from: 'gapTo: this.log.ceiling',
        to: 'gapTo: 0',
      },
    ],
    tests: [crashes],
    named: 'lazy modes',
  },
  {
    name: 'fdatasync-is-tried-again',
    story: 'PostgreSQL, fsyncgate: an fsync that failed is repeated, and its success is believed',
    changes: [
      {
        file: 'storage/disk/file-sync.ts',
        from: 'return this.sync(file).catch((error: unknown) => {',
        to: 'return this.sync(file).catch(() => this.sync(file)).catch((error: unknown) => {',
      },
    ],
    tests: [failures],
    named: 'fdatasync',
  },
  {
    name: 'clean-stop-does-not-flush',
    story: 'of our own: a clean stop vouches for an end that was not flushed',
    changes: [
      {
        file: segmentWriter,
        from: '    await this.store.fileSync.syncOwn(file);',
        to: '',
      },
    ],
    tests: [crashes],
    named: 'lazy modes',
  },
  {
    name: 'half-is-written-over-too-early',
    story:
      'PostgreSQL: a segment of the write-ahead log is recycled before its checkpoint is complete',
    changes: [
      {
        file: 'storage/wal/write-ahead.ts',
        from: '      if (!this.isClean(file)) return false;',
        to: '',
      },
    ],
    tests: ['test/storage/wal/write-ahead.test.ts'],
  },
  {
    name: 'written-ahead-counts-as-synced',
    story: 'of our own: what is in the write-ahead log is taken to be in the file of its segment',
    changes: [
      {
        file: 'storage/wal/write-ahead.ts',
        from: '      if (this.dirty.has(log)) continue;',
        to: '      continue;',
      },
    ],
    tests: ['test/storage/wal/write-ahead.test.ts'],
  },
  {
    name: 'written-ahead-is-not-replayed',
    story: 'of our own: a start forgets what only the write-ahead log has',
    changes: [
      {
        file: 'storage/recovery/open-directory.ts',
        from: '  await replayWal(store, before, watermarks);',
        to: '',
      },
    ],
    tests: [crashes],
    named: 'written ahead',
  },
];
