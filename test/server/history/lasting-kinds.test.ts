import { Engine } from '../../../src/engine/engine.js';
import { startServer } from '../../support/server.js';

/** The streams of these kinds end, or have only a few events in all. */
const endingKinds = [
  'consumer',
  'dead-letter',
  'failed-run',
  'memory-digest',
  'message',
  'origin',
  'refused-requests',
  'rest-credential',
  'reveal',
  'run',
  'token',
];

describe('a kind whose streams live for years', () => {
  it('has checkpoints, as its journal could never be shortened otherwise', async () => {
    const server = await startServer();
    const engine = server.application.nest.get(Engine);
    const without = engine.kinds.filter(
      (kind) => engine.actors(kind).decider.checkpoints === undefined,
    );
    expect(without.sort()).toEqual(endingKinds);
    await server.remove();
  });
});
