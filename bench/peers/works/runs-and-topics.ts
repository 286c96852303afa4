/** Runs of five steps; records produced and consumed. */
import type { PeerServer, WorkKind } from '../peer.js';
import { runRound } from '../processes/rounds.js';
import { type Rounds, required, type Work } from './work.js';

const kibibyte = 1024;
const smallBytes = 100;
const batchRecords = 100;

const run = { unit: 'runs', bytes: 0, compares: 'rate' } as const;
const record = { unit: 'records', bytes: kibibyte, compares: 'rate', share: 1 } as const;

const endpoints: readonly { readonly kind: WorkKind; readonly name: string }[] = [
  { kind: 'run', name: 'minimal endpoint' },
  { kind: 'published-run', name: 'published client' },
];

export const runWorks: readonly Work[] = endpoints.flatMap(({ kind, name }) =>
  [1, 16, 64].map(
    (runs): Work => ({
      ...run,
      kind,
      name: `5-step runs, ${name}, ${runs} in flight`,
      // Where so many share the machine, a run takes about half a second.
      share: runs === 64 ? 1.5 : 1,
      begin: async (server) => ({
        run: (seconds) => required(server.run)(runs, seconds),
      }),
    }),
  ),
);

export const topicWorks: readonly Work[] = [
  producing('produce, one record of 1 KiB, 64 in flight', 1, kibibyte, 64),
  producing('produce, 100 x 1 KiB, 16 in flight', batchRecords, kibibyte, 16),
  producing('produce, 100 x 100 B, 16 in flight', batchRecords, smallBytes, 16),
  {
    ...record,
    name: 'consume, records of 100 B, one reader',
    kind: 'consume',
    bytes: smallBytes,
    begin: async (server) => {
      const value = 'x'.repeat(smallBytes);
      const contents = { partitions: 3, recordsEach: 30_000, value, batchRecords };
      return { run: await required(server.consume)(contents) };
    },
  },
];

function producing(name: string, records: number, bytes: number, inFlight: number): Work {
  const begin = async (server: PeerServer): Promise<Rounds> => {
    const produce = required(server.produce);
    const value = 'x'.repeat(bytes);
    return {
      run: async (seconds) => {
        const caller = await produce(records, value, inFlight);
        return runRound(caller, inFlight, { seconds }).finally(() => caller.close());
      },
    };
  };
  return { ...record, name, kind: 'produce', bytes, begin };
}
