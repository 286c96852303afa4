/**
 * A network for the nodes of a cluster, each in a namespace of its own, so that a node can be cut
 * off from PostgreSQL and its peers while clients and destinations still reach it. Packets are lost
 * silently: they go to a neighbor that does not exist.
 */
import { execFileSync } from 'node:child_process';

/** Which packets are lost: all, those to the node (it hears nothing), or those that it sends. */
export type Cut = 'cut' | 'deaf' | 'mute';

/** The place of one node in the network. */
export interface NodePlace {
  /** The command by which a program is started in this place. */
  readonly wrapper: readonly string[];
  /** The node's address for PostgreSQL and peers. */
  readonly clusterHost: string;
  /** The node's address for clients and destinations, which is never cut off. */
  readonly host: string;
}

const absent = '02:00:00:00:00:99';

function ip(...words: readonly string[]): void {
  execFileSync('ip', words, { stdio: 'pipe' });
}

/**
 * Two networks, one for the cluster and one for its clients; each is a bridge on which this machine
 * has the address 254.
 */
export class NodeNetwork {
  readonly places: NodePlace[] = [];
  private readonly bridges: readonly string[];

  private constructor(
    private readonly name: string,
    private readonly nets: readonly [cluster: string, clients: string],
    private readonly count: number,
  ) {
    this.bridges = [`${name}c`, `${name}p`];
  }

  /** Opens the network; null if this process may not create namespaces. */
  static open(count: number): NodeNetwork | null {
    const part = process.pid % 250;
    const network = new NodeNetwork(`sw${part}`, [`10.77.${part}`, `10.78.${part}`], count);
    // A process that was killed may have left a network of this name.
    network.remove();
    try {
      network.make();
      return network;
    } catch {
      network.remove();
      return null;
    }
  }

  /** The addresses of the cluster's side, as PostgreSQL writes them. */
  get clusterNetwork(): string {
    return `${this.nets[0]}.0/24`;
  }

  /** The address of this machine for nodes. */
  get clusterHost(): string {
    return `${this.nets[0]}.254`;
  }

  /** The address of this machine for what nodes deliver. */
  get clientHost(): string {
    return `${this.nets[1]}.254`;
  }

  cut(index: number, how: Cut): void {
    if (how !== 'deaf') this.loseFrom(index, 'replace');
    if (how !== 'mute') this.loseTo(index, 'replace');
  }

  heal(index: number): void {
    for (const lose of [this.loseFrom, this.loseTo]) {
      try {
        lose.call(this, index, 'del');
      } catch {
        // That direction was not cut.
      }
    }
  }

  /** Throws if a part of it stays behind. */
  close(): void {
    const failures = this.remove();
    if (failures.length > 0) throw new AggregateError(failures, failures.join('; '));
  }

  /** Tries to remove each part; gives what failed. */
  private remove(): readonly unknown[] {
    const spaces = Array.from({ length: this.count }, (_, index) => this.spaceOf(index));
    const parts = [
      ...spaces.map((space) => ['netns', 'del', space]),
      ...this.bridges.map((bridge) => ['link', 'del', bridge]),
    ];
    return parts.flatMap((words) => {
      try {
        ip(...words);
        return [];
      } catch (error) {
        return [error];
      }
    });
  }

  private make(): void {
    for (const [at, bridge] of this.bridges.entries()) {
      ip('link', 'add', bridge, 'type', 'bridge');
      ip('addr', 'add', `${this.nets[at]}.254/24`, 'dev', bridge);
      ip('link', 'set', bridge, 'up');
    }
    for (let index = 0; index < this.count; index += 1) this.makePlace(index);
  }

  private makePlace(index: number): void {
    const space = this.spaceOf(index);
    const [clusterHost, host] = this.nets.map((net) => `${net}.${index + 1}`) as [string, string];
    ip('netns', 'add', space);
    this.places.push({ wrapper: ['ip', 'netns', 'exec', space], clusterHost, host });
    ip('-n', space, 'link', 'set', 'lo', 'up');
    for (const [at, bridge] of this.bridges.entries()) {
      const [outer, inner] = [`${bridge}${index}`, `in${at}`];
      ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', space);
      ip('link', 'set', outer, 'master', bridge, 'up');
      ip('-n', space, 'addr', 'add', `${at === 0 ? clusterHost : host}/24`, 'dev', inner);
      ip('-n', space, 'link', 'set', inner, 'up');
    }
  }

  private loseFrom(index: number, verb: 'replace' | 'del'): void {
    const others = this.places.filter((_, at) => at !== index).map((place) => place.clusterHost);
    for (const to of [this.clusterHost, ...others]) {
      ip('-n', this.spaceOf(index), 'neigh', verb, to, ...entryOf(verb), 'dev', 'in0');
    }
  }

  private loseTo(index: number, verb: 'replace' | 'del'): void {
    const to = this.places[index]?.clusterHost ?? '';
    ip('neigh', verb, to, ...entryOf(verb), 'dev', this.bridges[0] ?? '');
    for (const other of this.places.keys()) {
      if (other === index) continue;
      ip('-n', this.spaceOf(other), 'neigh', verb, to, ...entryOf(verb), 'dev', 'in0');
    }
  }

  private spaceOf(index: number): string {
    return `${this.name}n${index}`;
  }
}

const entryOf = (verb: 'replace' | 'del') =>
  verb === 'replace' ? ['lladdr', absent, 'nud', 'permanent'] : [];
