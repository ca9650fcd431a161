/**
 * The server that holds the queue: where it is, and connections to it.
 *
 * Who may enter is said by the environment alone: what stands on a command line is seen by all of a
 * machine, and kept by shells. So no message holds more of `--queue` than host, port and number.
 */
import { isIP } from 'node:net';
import type { Redis } from 'ioredis';
import { InputError, OptionError } from '../../math/errors.ts';
import { printable } from '../../math/printable.ts';

export interface Address {
  host: string;
  port: number;
  db: number;
  isSecure: boolean;
}

const USER = 'GICOLLIDE_REDIS_USERNAME';
const PASSWORD = 'GICOLLIDE_REDIS_PASSWORD';
const CONNECT_MS = 5000;
/** Between two attempts to come back, at most. */
const RETRY_MS = 1000;

/**
 * The address that `--queue` gives.
 *
 * @throws OptionError, which quotes nothing of it
 */
export function addressOf(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.username || url?.password || text.includes('@'))
    throw new OptionError(`--queue: no name and no password here: ${USER} and ${PASSWORD} of the environment say them`);
  const [, db] = /^\/?(\d{0,4})$/.exec(url?.pathname ?? '-') ?? [];
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  if (!url || !isRedis || url.hostname === '' || db === undefined || url.search || url.hash)
    throw new OptionError('--queue: expected redis://host:port/number or rediss://host:port/number');
  return {
    // Of IPv6 without the brackets that URLs have.
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

/** An optional package. */
async function packageNamed<T>(name: string): Promise<T> {
  // Not by their bare names: the bundle of the program is made without them.
  const found = await import(name).catch(() => null);
  if (!found)
    throw new OptionError(
      `--queue takes the packages bullmq and ioredis, of which ${name} is not there: npm install bullmq ioredis`,
    );
  return found;
}

export const loadBullmq = (): Promise<typeof import('bullmq')> => packageNamed('bullmq');

/**
 * Connects, and stays: a server that goes comes back, and what was asked meanwhile is asked then.
 *
 * @throws InputError where none answers within seconds, or refuses
 */
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
    // Where there is no such number, the client would go on with another one.
    await client.select(address.db);
  } catch (error) {
    client.disconnect();
    throw new InputError(`${nameOfQueue(address)}: ${reasonOf(reason ?? (error as Error), address)}`);
  }
  hasConnected = true;
  return client;
}

/** Why there is no connection, in words without what was sent. */
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
