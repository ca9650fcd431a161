/** A scene of many meshes in Chromium: few requests bring all of them, and all are drawn. */
// @module-tag browser
import { expect, test } from 'vitest';
import { bundleViewer } from '../../scripts/bundle-viewer.mjs';
import { serveView } from '../../src/cli/view/server.ts';
import { translation } from '../../src/math/pose.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { icosphere } from '../support/shapes.ts';
import { documentOf, obbOf } from '../support/view-documents.ts';
import { answer, openViewer, until } from '../support/viewer-page.ts';

const COUNT = 300;

test.runIf(chromiumProgram)('300 meshes come in few requests', { tags: ['all'] }, async () => {
  const asset = obbOf(icosphere(3));
  const one = await documentOf([{ asset }]);
  const [file] = one.files;
  const numbers = Array.from({ length: COUNT }, (_, n) => n);
  const [own] = one.document.objects;
  const document = {
    ...one.document,
    again: { command: 'scene' as const, files: ['balls.obj'], options: [] },
    assets: numbers.map((n) => ({ ...one.document.assets[0], name: `asset ${n}` })),
    // Each touches the next.
    objects: numbers.map((n) => ({
      ...own,
      name: `ball-${n}`,
      asset: n,
      pose: Array.from(translation(1.9 * n, 0, 0)),
    })),
  };
  const served = await serveView((await bundleViewer()).html, { document, files: numbers.map(() => file) });
  try {
    const viewer = await openViewer(await sharedBrowser(), `${served.address}&a=ball-7&b=ball-8`);
    const ranges = viewer.requests.flatMap((url) => /\/data\/asset\/(\d+)(?:-(\d+))?$/.exec(url)?.slice(1, 3) ?? []);
    const bytes = COUNT * file.length;
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(ranges.length / 2).toBeLessThanOrEqual(Math.ceil(bytes / 4_000_000));
    const asked = ranges.flatMap((first, i) =>
      i % 2 ? [] : numbers.slice(Number(first), Number(ranges[i + 1] ?? first) + 1),
    );
    expect(asked.toSorted((p, q) => p - q)).toEqual(numbers);
    expect(await viewer.page.locator('html').getAttribute('data-ready')).toBe('true');
    expect((await answer(viewer.page)).verdict).toBe('contact');
    await until(viewer.page, `document.body.textContent.includes('${COUNT - 1} pairs')`);
    expect(viewer.messages).toEqual([]);
    await viewer.page.context().close();
  } finally {
    await served.close();
  }
});
