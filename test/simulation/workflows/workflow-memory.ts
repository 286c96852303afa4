/** What the server remembers of runs: the same after a restart, and nothing once all have ended. */
import type { SimulatedServer } from '../simulated-server.js';

/** Indexes that are meant to remember what has ended. */
const lasting: ReadonlySet<string> = new Set([
  'KnownRuns',
  'LatestNotification',
  'FailedMessages',
  'FailedRunLetters',
]);

/** Every stream that is not final, and every index, as plain values. */
export function remembered({ engine }: SimulatedServer): unknown {
  const actors = engine.kinds.map((kind) => {
    const directory = engine.actors(kind);
    return [kind, [...directory.ids()].sort().map((id) => [id, directory.find(id)])];
  });
  return { actors, indexes: indexes(engine) };
}

/** Runs, messages and elements of indexes that are left, by name; none when all have ended. */
export function leftInMemory({ engine }: SimulatedServer): Readonly<Record<string, number>> {
  const left: Record<string, number> = {
    runs: engine.actors('run').size,
    messages: engine.actors('message').size,
  };
  for (const [name, maps] of indexes(engine)) {
    const size = maps.reduce((sum, map) => sum + map.size, 0);
    if (!lasting.has(name)) left[name] = size;
  }
  return left;
}

/**
 * The maps that the folds of runs and messages keep. Only this check reads them: an entry that a
 * fold does not remove shows in no answer, and costs memory for ever.
 */
function indexes(
  engine: SimulatedServer['engine'],
): readonly (readonly [string, Map<unknown, unknown>[]])[] {
  const folds: ReadonlyMap<string, readonly object[]> = Reflect.get(engine, 'folds');
  return ['run', 'message'].flatMap((kind) =>
    (folds.get(kind) ?? []).map((fold) => {
      const maps = Object.values(fold).filter((value) => value instanceof Map);
      return [fold.constructor.name, maps] as const;
    }),
  );
}
