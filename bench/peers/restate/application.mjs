/** What a user of Restate writes for the same work: services that Restate calls. */
import { createServer } from 'node:http2';
import * as restate from '@restatedev/restate-sdk';
import { deliver, settings } from '../processes/service.mjs';

const steps = 5;
let asleep = 0;

const messages = restate.service({
  name: 'messages',
  handlers: {
    /** Posts a message to the destination that its headers name. */
    deliver: restate.handlers.handler(
      { input: restate.serde.binary, output: restate.serde.empty },
      async (context, body) => {
        const url = context.request().headers.get('x-destination');
        await context.run('post', () => deliver({ url, body }));
      },
    ),
  },
});

const runs = restate.service({
  name: 'runs',
  handlers: {
    /** Five steps that do nothing, one after the other. */
    steps: async (context) => {
      for (let step = 1; step <= steps; step += 1) await context.run(`step-${step}`, () => 1);
      return 'done';
    },
    /** Sleeps for an hour in its first step. */
    sleep: restate.handlers.handler(
      // A run that waits is put aside at once, not after a minute.
      { inactivityTimeout: 0 },
      async (context) => {
        asleep += 1;
        await context.sleep({ hours: 1 });
      },
    ),
  },
});

const endpoint = createServer(
  restate.createEndpointHandler({ services: [messages, runs], bidirectional: true }),
);
endpoint.listen(settings.port, '127.0.0.1', () => {
  process.stdout.write(`running at http://127.0.0.1:${settings.port}\n`);
});
process.on('message', () => process.send?.({ asleep }));
process.once('disconnect', () => process.exit());
