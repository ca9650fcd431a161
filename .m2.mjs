import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';
import { kindsWith } from './scripts/bundle-kinds.mjs';
import { libraryBundle } from './scripts/library-entries.mjs';
const [names, from, top='30', imp] = process.argv.slice(2);
const r = await build({ stdin:{contents:`export { ${names} } from '${from}';`, resolveDir:process.cwd()}, bundle:true, format:'esm', platform:'browser', target:'es2022', minify:true, write:false, metafile:true, tsconfigRaw:{}, logLevel:'silent', external:['three'], outdir:'out', splitting:false, plugins:[libraryBundle(process.cwd(),{three:'src/three/index.ts',browser:'src/browser.ts'}).plugin, kindsWith()]});
const f=Object.entries(r.metafile.outputs)[0];
const text=r.outputFiles[0].text;
console.log(names, from, 'min', f[1].bytes, 'gzip', gzipSync(text,{level:9}).length);
const l=Object.entries(f[1].inputs).filter(([,v])=>v.bytesInOutput>0).sort((a,b)=>b[1].bytesInOutput-a[1].bytesInOutput);
const used=new Set(l.map(([k])=>k));
console.log(l.length,'modules, js without generated', l.filter(([k])=>!k.includes('generated')).reduce((s,[,v])=>s+v.bytesInOutput,0));
for(const [k,v] of l.slice(0,+top)) { console.log(String(v.bytesInOutput).padStart(8), k, imp? '<- '+[...used].filter(u=>r.metafile.inputs[u].imports.some(i=>i.path===k)).map(u=>u.replace('src/','')).join(' '):''); }
