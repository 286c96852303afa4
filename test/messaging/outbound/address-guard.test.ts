import fc from 'fast-check';
import { AddressGuard } from '../../../src/messaging/outbound/address-guard.js';

const closed = new AddressGuard({ networks: [], hosts: [] });
const developer = new AddressGuard({
  networks: ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  hosts: ['sink.internal'],
});
const wideOpen = new AddressGuard({ networks: ['0.0.0.0/0', '::/0'], hosts: ['evil.example'] });

/** The first and last address of each range of the deny table, and their neighbours. */
const restricted = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'],
  ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
].flat();
const restrictedIpv6 = [
  '::',
  '::1',
  '::7f00:1',
  '::5db8:d822',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '64:ff9b:1:ffff:ffff:ffff:ffff:ffff',
  '64:ff9b:1::1.1.1.1',
  '::ffff:0:127.0.0.1',
  '::ffff:0:10.0.0.1',
  '2a00:1450:4001::5efe:127.0.0.1',
  '2a00:1450:4001::200:5efe:192.168.0.1',
  '2a00:1450:4001::100:5efe:10.0.0.1',
  '200::1',
  '1fff::1',
  '4000::1',
  'bfff::1',
  'fbff::1',
  '100::',
  '100::ffff:ffff:ffff:ffff',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2001:db8:ffff::1',
  '2002::1',
  '2002:7f00:1::',
  '2002:5db8:d822::1',
  '3fff::1',
  '3fff:fff::1',
  '5f00::1',
  'fc00::1',
  'fdff:ffff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'feff::1',
  'ff00::',
  'ff02::1',
  'ffff::1',
];
const publicAddresses = [
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00:1450:4001::1',
  '::ffff:1.1.1.1',
  '64:ff9b::101:101',
  '::ffff:0:1.1.1.1',
  '2a00:1450:4001::5efe:1.1.1.1',
  '2a00:1450:4001::200:5efe:1.1.1.1',
  '2a00:1450:4001::1:5efe:10.0.0.1',
  '2a00:1450:4001::5eff:10.0.0.1',
  '2003::1',
];
const metadata = [
  '169.254.169.254',
  '169.254.0.1',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fe80::1',
  'fe80::a9fe:a9fe',
  'fd00:ec2::254',
  'fd20:ce::254',
  '::ffff:169.254.169.254',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '64:ff9b:1:a9fe:00a9:fe00::', // the prefix of 48 bits: the fifth byte is passed over
  '64:ff9b:1:00a9:00fe:a9fe::', // of 56 bits
  '64:ff9b:1:0:00a9:fea9:fe00::', // of 64 bits
  '::ffff:0:169.254.169.254',
  '2a00:1450:4001::5efe:169.254.169.254',
  '2a00:1450:4001::200:5efe:a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2001:0:4136:e378:8000:63bf:5601:5601',
];

function hostOf(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

describe('the address guard', () => {
  it.each([...restricted, ...restrictedIpv6])(
    'refuses %s, as a resolved address and as a host',
    (address) => {
      expect(closed.checkAddress(address, 'name.example')).not.toBeNull();
      expect(closed.checkDestination(new URL(`http://${hostOf(address)}/`))).not.toBeNull();
    },
  );

  it.each(publicAddresses)('lets %s pass', (address) => {
    expect(closed.checkAddress(address, 'name.example')).toBeNull();
    expect(closed.checkDestination(new URL(`https://${hostOf(address)}/`))).toBeNull();
  });

  it.each(metadata)('keeps %s closed whatever is allowed', (address) => {
    for (const guard of [closed, developer, wideOpen]) {
      expect(guard.checkAddress(address, 'name.example')).not.toBeNull();
      expect(guard.checkAddress(address, 'evil.example')).not.toBeNull();
      expect(guard.checkDestination(new URL(`http://${hostOf(address)}/`))).not.toBeNull();
    }
  });

  it('refuses the public addresses of its own machine, however they are written', () => {
    const own = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'];
    const guard = new AddressGuard({ networks: [], hosts: ['me.example'] }, own);
    for (const written of [...own, '::ffff:93.184.216.34', '2606:2800:220:1:0248:1893:25C8:1946']) {
      expect(guard.checkAddress(written, 'name.example')).not.toBeNull();
      expect(guard.checkDestination(new URL(`http://${hostOf(written)}/`))).not.toBeNull();
      expect(guard.checkAddress(written, 'me.example')).toBeNull();
      expect(closed.checkAddress(written, 'name.example')).toBeNull();
    }
    expect(guard.checkAddress('93.184.216.35', 'name.example')).toBeNull();
  });

  it.each([
    '127.0.0.1',
    '::1',
    '10.1.2.3',
    '192.168.1.1',
    '172.20.0.1',
    'fd12::1',
    '::ffff:10.0.0.1',
    '::ffff:0:10.0.0.1',
  ])('reaches %s where configuration allows it', (address) => {
    expect(developer.checkAddress(address, 'name.example')).toBeNull();
    expect(closed.checkAddress(address, 'name.example')).not.toBeNull();
  });

  it('does not open a prefix with several readings because one of them is allowed', () => {
    // As a prefix of 48 bits it wraps 10.0.0.0, as one of 96 bits 192.0.2.1.
    const guard = new AddressGuard({ networks: ['10.0.0.0/8'], hosts: [] });
    expect(guard.checkAddress('64:ff9b:1:a00::192.0.2.1', 'name.example')).not.toBeNull();
    const translated = new AddressGuard({ networks: ['64:ff9b:1::/48'], hosts: [] });
    expect(translated.checkAddress('64:ff9b:1::192.0.2.1', 'name.example')).toBeNull();
  });

  it('refuses an ISATAP address by its prefix even if its IPv4 address is allowed', () => {
    expect(developer.checkAddress('2a00:1450:4001::5efe:10.0.0.1', 'name.example')).toBeNull();
    expect(developer.checkAddress('2001:db8::5efe:10.0.0.1', 'name.example')).not.toBeNull();
  });

  it('lets an allowed name resolve to any address except metadata', () => {
    expect(developer.checkAddress('198.18.0.1', 'sink.internal')).toBeNull();
    expect(developer.checkAddress('198.18.0.1', 'other.internal')).not.toBeNull();
  });

  it('refuses a name with one forbidden address among good ones, or without any', () => {
    expect(closed.checkAddresses(['1.1.1.1', '2606:4700::1111'], 'name.example')).toBeNull();
    expect(closed.checkAddresses(['1.1.1.1', '127.0.0.1'], 'name.example')).not.toBeNull();
    expect(closed.checkAddresses([], 'name.example')).not.toBeNull();
    expect(closed.checkAddresses(['not an address'], 'name.example')).not.toBeNull();
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'ws://example.com/',
    'http://user@example.com/',
    'http://:secret@example.com/',
    'http://a:b@1.1.1.1/',
    'http://example.com:22/',
    'http://example.com:25/',
    'http://example.com:6379/',
    'http://example.com:11211/',
    'http://example.com:0/',
    'http://1.1.1.1:1023/',
    `http://${'a.'.repeat(127)}com/`,
  ])('refuses %s', (text) => {
    expect(closed.checkDestination(new URL(text))).not.toBeNull();
  });

  it.each([
    'http://example.com/',
    'https://example.com:443/',
    'http://example.com:80/',
    'http://example.com:8080/a?b',
    'https://bücher.example/',
    'http://example.com./',
  ])('lets %s be published', (text) => {
    expect(closed.checkDestination(new URL(text))).toBeNull();
  });

  it('is not fooled by any spelling of a forbidden address', () => {
    let judged = 0;
    fc.assert(
      fc.property(forbiddenBytes, spelling, suffix, (bytes, spell, end) => {
        const text = `http://${spell(bytes)}${end}`;
        // What the URL parser refuses is never published.
        if (!URL.canParse(text)) return;
        judged += 1;
        const url = new URL(text);
        if (closed.checkDestination(url) === null) throw new Error(`passed as ${url.hostname}`);
      }),
      { numRuns: 8000 },
    );
    expect(judged).toBeGreaterThan(5000);
  });

  it('takes every spelling of a public address as that address', () => {
    fc.assert(
      fc.property(ipv4Spelling, (spell) => {
        const url = new URL(`http://${spell([93, 184, 216, 34])}/`);
        expect(url.hostname).toBe('93.184.216.34');
        expect(closed.checkDestination(url)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

type Bytes = readonly [number, number, number, number];
type Spelling = (bytes: Bytes) => string;

const octet = fc.nat(255);
const forbiddenBytes: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127, 224, 239, 240, 255), octet, octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
  fc.tuple(fc.constant(198), fc.constantFrom(18, 19), octet, octet),
  fc.constantFrom<Bytes>([168, 63, 129, 16], [100, 100, 100, 200], [169, 254, 169, 254]),
);

const bases: readonly ((value: number) => string)[] = [
  (value) => `${value}`,
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase()}`,
  (value) => `0${value.toString(8)}`,
  (value) => `000${value.toString(8)}`,
];
const digitSets = ['0123456789', '０１２３４５６７８９', '𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗', '𝟶𝟷𝟸𝟹𝟺𝟻𝟼𝟽𝟾𝟿'];
const dots = ['.', '。', '．', '｡', '%2e', '%2E'];

/** One to four parts, each in any base, with any Unicode digits and dots. */
const ipv4Spelling: fc.Arbitrary<Spelling> = fc
  .record({
    parts: fc.integer({ min: 1, max: 4 }),
    base: fc.array(fc.constantFrom(...bases), { minLength: 4, maxLength: 4 }),
    digits: fc.constantFrom(...digitSets),
    dot: fc.constantFrom(...dots),
    percent: fc.boolean(),
  })
  .map(({ parts, base, digits, dot, percent }) => (bytes) => {
    const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const values = [...bytes.slice(0, parts - 1), last];
    const alphabet = [...digits];
    return values
      .map((value, index) => base[index]!(value))
      .map((text) => text.replace(/\d/g, (digit) => alphabet[Number(digit)]!))
      .map((text) => (percent ? text.replace(/^\d/, (d) => `%3${d}`) : text))
      .join(dot);
  });

const hex = (high: number, low: number) => (high * 256 + low).toString(16);
const dotted: Spelling = (bytes) => bytes.join('.');
const wrappedSpellings: readonly Spelling[] = [
  (bytes) => `[::ffff:${dotted(bytes)}]`,
  ([a, b, c, d]) => `[::ffff:${hex(a, b)}:${hex(c, d)}]`,
  ([a, b, c, d]) => `[0:0:0:0:0:FFFF:${hex(a, b)}:${hex(c, d)}]`,
  (bytes) => `[::${dotted(bytes)}]`,
  (bytes) => `[64:ff9b::${dotted(bytes)}]`,
  (bytes) => `[64:ff9b:1::${dotted(bytes)}]`,
  (bytes) => `[::ffff:0:${dotted(bytes)}]`,
  ([a, b, c, d]) => `[0:0:0:0:FFFF:0:${hex(a, b)}:${hex(c, d)}]`,
  (bytes) => `[2a00:1450::0:5efe:${dotted(bytes)}]`,
  (bytes) => `[2a00:1450::200:5efe:${dotted(bytes)}]`,
  ([a, b, c, d]) => `[0064:ff9b:0:0:0:0:${hex(a, b)}:${hex(c, d)}]`,
  ([a, b, c, d]) => `[2002:${hex(a, b)}:${hex(c, d)}::1]`,
  ([a, b, c, d]) => `[2001:0:1::${hex(255 - a, 255 - b)}:${hex(255 - c, 255 - d)}]`,
  ([a, b, c, d]) => `[fe80::${hex(a, b)}:${hex(c, d)}%25eth0]`,
  (bytes) => `user:pass@${dotted(bytes)}`,
  (bytes) => `example.com@${dotted(bytes)}`,
  (bytes) => `example.com:80@${dotted(bytes)}`,
  (bytes) => `\t${dotted(bytes)}\n`,
  (bytes) => `/${dotted(bytes)}`,
  (bytes) => `\\${dotted(bytes)}`,
];
const spelling = fc.oneof(ipv4Spelling, fc.constantFrom(...wrappedSpellings));
const suffix = fc.constantFrom(
  '/',
  './',
  ':80/',
  ':8080/x',
  '?a',
  '#b',
  '\\x',
  '/\\example.com',
  '',
);
