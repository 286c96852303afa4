import { Refusal } from '../../../src/grammar/result.js';
import { fullGrant } from '../../../src/http/identity/grant.js';
import { consumerGroupKind } from '../../../src/topics/groups/consumer-group.events.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { settled } from '../../simulation/simulated-server.js';
import { consumerSettings } from '../../support/consumer-commands.js';
import { openGroupWorld } from './group-world.js';

it('a waiter for a generation of a group that is removed meanwhile continues', async () => {
  const disk = new SimulatedDisk(new SeededRandom(1));
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  const { clock, consumers, engine, service, views } = await openGroupWorld(disk, 1_767e9, 2);
  await service.forConsume('rides', null);
  const place = { group: 'g', instance: 'a' };
  const who = { grant: fullGrant, by: null, received: null };
  const entered = await consumers.enter(place, ['rides'], who, () => {
    return { ok: true, value: { settings: consumerSettings({}), strategy: null } };
  });
  expect(entered).not.toBeInstanceOf(Refusal);
  let hasGone = false;
  void views.whenAt('g', 99).then(() => {
    hasGone = true;
  });
  expect(await consumers.remove(place, who)).toBeNull();
  await settled();
  expect(hasGone).toBe(false);
  const at = clock.now();
  const removal = { type: 'DeleteGroup', kind: consumerGroupKind, id: 'g', at };
  expect(await engine.dispatch([removal])).toMatchObject([{ ok: true }]);
  await settled();
  expect(views.find('g')).toBeUndefined();
  expect(hasGone).toBe(true);
});
