import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { agentFiles } from '../../firmware/machine/agent.ts';

const control = `Package: poid-image-test
Version: 1
Architecture: all
Maintainer: poid <poid@example.invalid>
Description: shell of the tests in an image, which has none of its own
`;

/** Writes a package with the tests' shell to `dir`. What the simulator has in its books is kept over updates like the terminal's journal. */
export function buildTestPackage(dir: string): string {
  const tree = mkdtempSync(path.join(dir, 'tree-'));
  chmodSync(tree, 0o755);
  const write = (file: string, text: string, mode = 0o644) => {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
    chmodSync(path.join(tree, file), mode);
  };
  write('DEBIAN/control', control);
  for (const each of agentFiles) write(each.path, each.text, each.mode);
  // An emulated processor that other work shares may need minutes for what takes one of its own a second.
  write('etc/systemd/system/poid.service.d/patient.conf', '[Service]\nTimeoutStartSec=900\n');
  write('usr/lib/poid-image/kept.d/poid-image-test', '/var/lib/poid-sim\n/var/cache/poid-sim\n');
  const wants = path.join(tree, 'etc/systemd/system/multi-user.target.wants');
  mkdirSync(wants);
  symlinkSync('../test-agent.service', path.join(wants, 'test-agent.service'));
  const file = path.join(dir, 'poid-image-test_1_all.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file], { stdio: 'pipe' });
  rmSync(tree, { recursive: true });
  return file;
}
