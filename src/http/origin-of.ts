/** The origin of a server on this host and port, whose host may be an IPv6 address. */
export function originOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
