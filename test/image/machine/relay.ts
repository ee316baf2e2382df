import { connect } from 'node:net';

/** QEMU starts one for each connection of the guest (guestfwd, cmd): standard input and output are the guest's end. */
const socket = connect(Number(process.argv[2]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
// Whichever end is lost, the other one is told by the end of this.
for (const each of [process.stdin, process.stdout, socket]) each.on('error', () => process.exit());
socket.on('close', () => process.exit());
