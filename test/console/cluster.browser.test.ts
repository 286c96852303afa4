import { type ClusterNode, startNode, token } from '../support/cluster-node.js';
import { findings } from '../support/console/axe.js';
import { browserLimitMs, describeInChromium, signIn } from '../support/console/chromium.js';
import { visitsInChromium } from '../support/console/visits.js';

describeInChromium('a cluster in a browser', () => {
  const visits = visitsInChromium();
  let node: ClusterNode;

  beforeAll(async () => {
    node = await startNode();
    node.standing.mayServe = true;
    node.standing.followers = [
      { node: 'http://10.0.0.2:7070', behind: 0, heardMsAgo: 1200, version: '0.1.0' },
      { node: 'http://10.0.0.3:7070', behind: 1234, heardMsAgo: 90_000, version: null },
    ];
    await node.recovered;
  }, browserLimitMs);

  afterAll(() => node.stop(), browserLimitMs);

  it(
    'shows its nodes on the overview, and the guarantee that an answer gives',
    async () => {
      const page = await visits.open(node, '/');
      await signIn(page, token);
      const nodes = page.getByRole('table', { name: 'Nodes of the cluster' });
      const rows = nodes.getByRole('row');
      await rows.nth(3).waitFor();
      expect(await rows.allInnerTexts()).toEqual([
        expect.stringMatching(/^Node\s+State\s+Version\s+Behind\s+Heard$/),
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:7070\s+owner\s+0\.1\.0\s+–\s+answers here$/),
        expect.stringMatching(
          /^http:\/\/10\.0\.0\.2:7070\s+follower\s+0\.1\.0\s+nothing\s+1\.20 s ago$/,
        ),
        expect.stringMatching(
          /^http:\/\/10\.0\.0\.3:7070\s+silent\s+–\s+1,234 entries\s+1 min 30 s ago$/,
        ),
      ]);
      expect(await findings(page)).toEqual([]);
    },
    browserLimitMs,
  );
});
