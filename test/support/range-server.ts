/** A server of one file that answers requests for ranges, rightly or in one of the ways that servers do not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RangeServer {
  url: string;
  /** Ranges that were asked for. */
  requests: string[];
  /** Bytes of bodies that were sent. */
  bytes: number;
  close(): Promise<void>;
}

/** Answers, or leaves it to the server to do so rightly. */
export type Misbehaviour = (range: { from: number; to: number }, response: ServerResponse, count: number) => boolean;

export async function serveRanges(file: Uint8Array, misbehave: Misbehaviour = () => false): Promise<RangeServer> {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const range = request.headers.range ?? '';
    result.requests.push(range);
    const match = /^bytes=(\d+)-(\d+)$/.exec(range);
    const [from, last] = match ? [Number(match[1]), Number(match[2])] : [0, file.length - 1];
    const to = Math.min(last, file.length - 1);
    if (misbehave({ from, to }, response, result.requests.length)) return;
    const body = file.subarray(from, to + 1);
    result.bytes += body.length;
    response.writeHead(206, {
      'content-range': `bytes ${from}-${to}/${file.length}`,
      'content-length': body.length,
      etag: '"first"',
    });
    response.end(body);
  };
  const server = createServer(answer);
  const result: RangeServer = {
    url: '',
    requests: [],
    bytes: 0,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  result.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.tiff`;
  return result;
}
