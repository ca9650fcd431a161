/**
 * Connects to the queue's Redis server.
 *
 * Credentials come only from the environment, since every user of a machine can see command lines,
 * and shells keep them. Messages therefore show only host, port and number of `--queue`.
 */
import { isIP } from 'node:net';
import type { Redis } from 'ioredis';
import { InputError, OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';

export interface Address {
  host: string;
  port: number;
  db: number;
  isSecure: boolean;
}

const USER = 'GICOLLIDE_REDIS_USERNAME';
const PASSWORD = 'GICOLLIDE_REDIS_PASSWORD';
const CONNECT_MS = 5000;
/** Maximum delay between reconnections. */
const RETRY_MS = 1000;

/** @throws OptionError that quotes nothing of the text */
export function addressOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.username || url?.password || text.includes('@'))
    throw new OptionError(
      `--queue: expected an address without name and password; set ${USER} and ${PASSWORD} in the environment`,
    );
  const [, db] = /^\/?(\d{0,4})$/.exec(url?.pathname ?? '-') ?? [];
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  if (!url || !isRedis || url.hostname === '' || db === undefined || url.search || url.hash)
    throw new OptionError('--queue: expected redis://host:port/number or rediss://host:port/number');
  return {
    // Without the brackets that URLs put around IPv6.
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || 6379),
    db: Number(db),
    isSecure: url.protocol === 'rediss:',
  };
}

export function nameOfQueue({ host, port, db, isSecure }: Address): string {
  const shown = host.includes(':') ? `[${host}]` : host;
  return printable(`${isSecure ? 'rediss' : 'redis'}://${shown}:${port}${db === 0 ? '' : `/${db}`}`);
}

async function packageNamed<T>(name: string): Promise<T> {
  // Names are variables, so that bundling leaves out these packages.
  const found = await import(name).catch(() => null);
  if (!found)
    throw new OptionError(
      `--queue needs the packages bullmq and ioredis; ${name} is not installed: npm install bullmq ioredis`,
    );
  return found;
}

export const loadBullmq = (): Promise<typeof import('bullmq')> => packageNamed('bullmq');

/** Reconnects if the server goes away, and resends pending requests. */
export async function connect(address: Address): Promise<Redis> {
  const { Redis: Client } = await packageNamed<typeof import('ioredis')>('ioredis');
  const { [USER]: username, [PASSWORD]: password } = process.env;
  let hasConnected = false;
  const client = new Client({
    ...{ host: address.host, port: address.port, db: address.db },
    ...(username && { username }),
    ...(password && { password }),
    ...(address.isSecure && { tls: isIP(address.host) ? {} : { servername: address.host } }),
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (hasConnected ? Math.min(50 * times, RETRY_MS) : null),
  });
  let reason: Error | undefined;
  client.on('error', (error) => {
    reason = error;
  });
  try {
    await client.connect();
    // With an invalid number, the client would silently use another database.
    await client.select(address.db);
  } catch (error) {
    client.disconnect();
    throw new InputError(`${nameOfQueue(address)}: ${reasonOf(reason ?? (error as Error), address)}`);
  }
  hasConnected = true;
  return client;
}

/** Says why there is no connection, without quoting sent data. */
function reasonOf({ message, code }: Error & { code?: string }, { db }: Address): string {
  if (/WRONGPASS|invalid password|without any password/i.test(message))
    return `the server refuses this name and password; ${USER} and ${PASSWORD} say them`;
  if (/NOAUTH|Authentication required/i.test(message))
    return `the server asks for a password; ${PASSWORD} says it, and ${USER} a name`;
  if (/DB index/.test(message)) return `the server has no database ${db}`;
  if (/RESP type|Protocol error/.test(message)) return 'what answers is no Redis';
  if (/NOPERM/.test(message)) return 'the server gives this user too few permissions';
  return `no Redis answers (${printable(code ?? message.split('\n')[0])})`;
}
