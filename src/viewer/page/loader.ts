/**
 * Unpacks the page's script and that of its workers, which are packed in the page: gzip would need
 * 58 KB more for the two. The page's policy names both this script and the one that it starts.
 */
import { unpack } from './unpack.ts';

function start(): void {
  const block = document.getElementById('worker')!;
  const letters = atob(block.textContent!);
  const bytes = unpack(
    Uint8Array.from(letters, (letter) => letter.charCodeAt(0)),
    Number(block.dataset.bytes),
  );
  const [page, worker] = new TextDecoder().decode(bytes).split('\0');
  block.textContent = worker;
  const script = document.createElement('script');
  script.textContent = page;
  document.body.append(script);
}

start();
