/**
 * Selects the headers of a webhook that become headers of its record: those about the message, not
 * about its transport (topics.md 2.3). Pure.
 */
import { isOwnHeader } from '../../http/dialect.js';
import type { ProduceHeader } from './produce.request.js';

/** The permanent entries of IANA's registry of HTTP fields (RFC 9110, 18.4). */
const standardNames = `
  a-im accept accept-additions accept-ch accept-charset accept-datetime accept-encoding
  accept-features accept-language accept-patch accept-post accept-query accept-ranges
  accept-signature access-control access-control-allow-credentials access-control-allow-headers
  access-control-allow-methods access-control-allow-origin access-control-expose-headers
  access-control-max-age access-control-request-headers access-control-request-method
  activate-storage-access age allow alpn alt-svc alt-used alternates apply-to-redirect-ref
  authentication-control authentication-info authorization available-dictionary c-ext c-man c-opt
  c-pep c-pep-info cache-control cache-status cal-managed-id caldav-timezones capsule-protocol
  cdn-cache-control cdn-loop cert-not-after cert-not-before clear-site-data client-cert
  client-cert-chain close connection content-base content-digest content-disposition
  content-encoding content-id content-language content-length content-location content-md5
  content-range content-script-type content-security-policy content-security-policy-report-only
  content-style-type content-type content-version cookie cookie2 cross-origin-embedder-policy
  cross-origin-embedder-policy-report-only cross-origin-opener-policy
  cross-origin-opener-policy-report-only cross-origin-resource-policy cta-common-access-token dasl
  date dav default-style delta-base deprecation depth derived-from destination
  detached-jws differential-id dictionary-id digest dpop dpop-nonce early-data ediint-features etag
  expect expires ext forwarded from getprofile hobareg host http2-settings if if-match
  if-modified-since if-none-match if-range if-schedule-tag-match if-unmodified-since im
  include-referred-token-binding-id isolation keep-alive label last-event-id last-modified link
  link-template location lock-token man max-forwards memento-datetime meter mime-version negotiate
  nel odata-entityid odata-isolation odata-maxversion odata-version opt optional-www-authenticate
  ordering-type origin origin-agent-cluster oscore oslc-core-version overwrite p3p pep pep-info
  permissions-policy pics-label ping-from ping-to position pragma prefer preference-applied priority
  profileobject protocol protocol-info protocol-query protocol-request proxy-authenticate
  proxy-authentication-info proxy-authorization proxy-features proxy-instruction proxy-status public
  public-key-pins public-key-pins-report-only range redirect-ref referer referer-root
  referrer-policy refresh repeatability-client-id repeatability-first-sent repeatability-request-id
  repeatability-result replay-nonce reporting-endpoints repr-digest retry-after safe schedule-reply
  schedule-tag sec-gpc sec-purpose sec-token-binding sec-websocket-accept sec-websocket-extensions
  sec-websocket-key sec-websocket-protocol sec-websocket-version security-scheme server
  server-timing set-cookie set-cookie2 setprofile signature signature-input slug soapaction
  status-uri strict-transport-security sunset surrogate-capability surrogate-control tcn te timeout
  topic traceparent tracestate trailer transfer-encoding ttl upgrade urgency uri use-as-dictionary
  user-agent variant-vary vary via want-content-digest want-digest want-repr-digest warning
  www-authenticate x-content-type-options x-frame-options`;

/** Headers that proxies add, and headers of request tracing. */
const namesOfHops = `
  b3 baggage client-ip dnt proxy-connection sentry-trace true-client-ip uber-trace-id
  upgrade-insecure-requests x-amzn-requestid x-amzn-trace-id x-client-ip x-cloud-trace-context
  x-cluster-client-ip x-correlation-id x-envoy-expected-rq-timeout-ms x-real-ip x-request-id
  x-request-start x-varnish`;

const prefixesOfHops = [
  'akamai-',
  'cdn-',
  'cf-',
  'fastly-',
  'fly-',
  'sec-',
  'x-akamai-',
  'x-amz-cf-',
  'x-azure-',
  'x-b3-',
  'x-datadog-',
  'x-envoy-',
  'x-forwarded-',
  'x-vercel-',
];

/** Headers that this server itself reads. */
const ownNames = ['idempotency-key'];

const names = (text: string) => text.trim().split(/\s+/);
const dropped = new Set([...names(standardNames), ...names(namesOfHops), ...ownNames]);

/**
 * Makes record headers from Node's flat list of names and values: names in lower case, values as
 * the received bytes, repeated headers kept, in the order of arrival.
 */
export function webhookHeaders(rawHeaders: readonly string[]): readonly ProduceHeader[] {
  const headers: ProduceHeader[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (dropped.has(name) || isOwnHeader(name)) continue;
    if (prefixesOfHops.some((prefix) => name.startsWith(prefix))) continue;
    headers.push({ name, value: Buffer.from(rawHeaders[index + 1] ?? '', 'latin1') });
  }
  return headers;
}
