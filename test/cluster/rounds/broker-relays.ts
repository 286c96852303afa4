/**
 * Connects nodes in namespaces to mock brokers. The brokers listen on this machine's loopback
 * address, and give that address to their clients. So a relay on the loopback of each namespace
 * listens at the brokers' ports, and forwards connections through the network, where they can be
 * cut.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killedAtLast } from '../../support/leftovers.js';
import type { NodeNetwork } from './node-network.js';

const program = fileURLToPath(new URL('relay.mjs', import.meta.url));
const loopback = '127.0.0.1';

export class BrokerRelays {
  private readonly relays: ChildProcess[] = [];

  /** `addresses`: `host:port,...`. */
  static async start(network: NodeNetwork, addresses: string): Promise<BrokerRelays> {
    const ports = addresses.split(',').map((address) => address.split(':').at(-1) ?? '');
    const relays = new BrokerRelays();
    await relays.add([], network.clusterHost, loopback, ports);
    for (const { wrapper } of network.places) {
      await relays.add(wrapper, loopback, network.clusterHost, ports);
    }
    return relays;
  }

  stop(): void {
    for (const relay of this.relays) relay.kill('SIGKILL');
  }

  private async add(
    wrapper: readonly string[],
    here: string,
    there: string,
    ports: readonly string[],
  ): Promise<void> {
    const words = [...wrapper, process.execPath, program, here, there, ...ports];
    // Without the modules that this process preloads, which a relay does not need.
    const env = { PATH: process.env['PATH'] };
    const relay = killedAtLast(
      spawn(words[0] ?? '', words.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    this.relays.push(relay);
    const ended = once(relay, 'exit').then(() => {
      throw new Error(`a relay to ${there} has ended before it was ready`);
    });
    await Promise.race([once(relay.stdout, 'data'), ended]);
    ended.catch(() => undefined);
  }
}
