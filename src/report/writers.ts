/** The table of report formats. Each is loaded on demand. */
import type { ReportWriter } from './finding.ts';

interface WriterEntry {
  name: string;
  ending: string;
  readers: string;
  load: () => Promise<ReportWriter>;
}

export const WRITERS: readonly WriterEntry[] = [
  {
    name: 'junit',
    ending: '.xml',
    readers: 'Jenkins, GitLab and most CI systems',
    load: async () => (await import('./junit.ts')).junit,
  },
  {
    name: 'sarif',
    ending: '.sarif',
    readers: 'code scanning of GitHub, and editors',
    load: async () => (await import('./sarif.ts')).sarif,
  },
  {
    name: 'gitlab',
    ending: '.json',
    readers: 'code quality of GitLab',
    load: async () => (await import('./gitlab.ts')).gitlab,
  },
  {
    name: 'github',
    ending: '.txt',
    readers: 'GitHub Actions, from the output of a step: annotations',
    load: async () => (await import('./github.ts')).github,
  },
  {
    name: 'github-summary',
    ending: '.md',
    readers: 'GitHub Actions, from GITHUB_STEP_SUMMARY',
    load: async () => (await import('./markdown.ts')).githubSummary,
  },
  {
    name: 'markdown',
    ending: '.md',
    readers: 'people, in the comment of a pull request',
    load: async () => (await import('./markdown.ts')).markdown,
  },
  {
    name: 'csv',
    ending: '.csv',
    readers: 'spreadsheets and scripts',
    load: async () => (await import('./csv.ts')).csv,
  },
  {
    name: 'bcf',
    ending: '.bcf',
    readers: 'BIM tools',
    load: async () => (await import('./bcf.ts')).bcf,
  },
  {
    name: 'html',
    ending: '.html',
    readers: 'people, in a browser',
    load: async () => (await import('./html.ts')).html,
  },
];
