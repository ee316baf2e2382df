import { hidIdentities } from '../../../hw-sim/reader/reports/identity.ts';
import type { ReadyTerminal } from './ready-terminal.ts';

/** A device that the kernel plays on a bus of its own (dummy_hcd): what the terminal sees is USB. */
interface Gadget {
  readonly name: string;
  readonly vendor: number;
  readonly product: number;
  readonly serial: string;
  /** Function and instance below configfs, and its attributes as files. */
  readonly function: string;
  readonly attributes?: Readonly<Record<string, string | Buffer>>;
}

export function serialReader(name: string, serial: string): Gadget {
  return { name, serial, vendor: 0x0acd, product: 0x3810, function: `acm.${name}` };
}

export function hidReader(model: keyof typeof hidIdentities): Gadget {
  const { vendor, product, serial, descriptor } = hidIdentities[model];
  const attributes = { protocol: '0', subclass: '0', report_length: '64', report_desc: descriptor };
  return { name: model, vendor, product, serial, function: 'hid.0', attributes };
}

export const usbPrinter: Gadget = {
  name: 'printer',
  vendor: 0x04b8,
  product: 0x0202,
  serial: 'PRN1',
  function: 'printer.0',
  attributes: { pnp_string: 'MFG:EPSON;MDL:TM-T88;CMD:ESC/POS;', q_len: '8' },
};

const configfs = '/sys/kernel/config/usb_gadget';

/** Carries bytes both ways between two device files, in whole pieces of so many bytes, until one of them goes away. */
const wire = String.raw`
use Fcntl; use Errno qw(EAGAIN EINTR);
my ($one, $other, $piece) = @ARGV;
sysopen(my $a, $one, O_RDWR | O_NONBLOCK | O_NOCTTY) or die "$one: $!";
sysopen(my $b, $other, O_RDWR | O_NONBLOCK | O_NOCTTY) or die "$other: $!";
my %kept = ($a => "", $b => "");
for (;;) {
  my ($reading, $writing) = ("", "");
  vec($reading, fileno($_), 1) = 1 for $a, $b;
  for ([$a, $b], [$b, $a]) { vec($writing, fileno($_->[1]), 1) = 1 if length $kept{$_->[0]} >= $piece }
  select($reading, $writing, undef, undef);
  for ([$a, $b], [$b, $a]) {
    my ($from, $to) = @$_;
    if (vec($reading, fileno($from), 1)) {
      my $got = sysread($from, $kept{$from}, 4096, length $kept{$from});
      die "read: $!" if !defined $got && $! != EAGAIN && $! != EINTR;
      die "the end" if defined $got && $got == 0;
    }
    while (length $kept{$from} >= $piece) {
      my $sent = syswrite($to, $kept{$from}, $piece == 1 ? length $kept{$from} : $piece);
      die "write: $!" if !defined $sent && $! != EAGAIN && $! != EINTR;
      last if !defined $sent;
      substr($kept{$from}, 0, $sent) = "";
    }
  }
}
`;

/** The gadgets of one terminal, and the wires from their other ends to the simulator's pseudo-terminals. */
export class Gadgets {
  /** Of all terminals: a wire that has failed in a test before may still be known by its name. */
  static #wires = 0;
  readonly #terminal: ReadyTerminal;

  private constructor(terminal: ReadyTerminal) {
    this.#terminal = terminal;
  }

  /** Those of a test before are gone. */
  static async open(terminal: ReadyTerminal): Promise<Gadgets> {
    const modules = 'libcomposite usb_f_acm usb_f_hid usb_f_printer cdc_acm usbhid usblp';
    const remove = `for each in ${configfs}/*/; do
      [ -d "$each" ] || continue
      echo '' > $each/UDC; rm -f $each/configs/c.1/*.*
      rmdir $each/configs/c.1 $each/functions/* $each/strings/0x409 $each
    done 2> /run/removed
    systemctl stop 'wire-*'`;
    await terminal.guest.outputOf(
      `modprobe dummy_hcd num=3 && modprobe -a ${modules} && cat > /run/wire.pl; ${remove}`,
      {
        input: wire,
      },
    );
    return new Gadgets(terminal);
  }

  /** Makes a device and plugs it in. Each has a port of its own. */
  async add(gadget: Gadget, port: number): Promise<void> {
    const { name, vendor, product, serial, attributes = {} } = gadget;
    const at = `${configfs}/${name}`;
    const files = Object.entries(attributes).map(
      ([file, value]) =>
        `printf %s ${Buffer.from(value).toString('base64')} | base64 -d > ${at}/functions/${gadget.function}/${file}`,
    );
    await this.#terminal.guest.outputOf(`set -e
      mkdir -p ${at}/strings/0x409 ${at}/configs/c.1 ${at}/functions/${gadget.function}
      echo ${vendor} > ${at}/idVendor; echo ${product} > ${at}/idProduct; echo 0x0200 > ${at}/bcdUSB
      echo ${serial} > ${at}/strings/0x409/serialnumber; echo ${name} > ${at}/strings/0x409/product
      ${files.join('\n')}
      ln -s ${at}/functions/${gadget.function} ${at}/configs/c.1/`);
    await this.plug(gadget, port);
  }

  async plug({ name }: Gadget, port: number): Promise<void> {
    await this.#terminal.guest.outputOf(`echo dummy_udc.${port} > ${configfs}/${name}/UDC && udevadm settle`);
  }

  async unplug({ name }: Gadget): Promise<void> {
    await this.#terminal.guest.outputOf(`echo '' > ${configfs}/${name}/UDC`);
  }

  /** Connects the gadget's own end, a device file, with what the simulator plays. It is connected again when plugged in again. */
  async connect(device: string, simulated: string, pieceBytes = 1): Promise<void> {
    const unit = `wire-${simulated}-${++Gadgets.#wires}`;
    const raw = device.startsWith('/dev/tty') ? `stty -F ${device} raw -echo; ` : '';
    await this.#terminal.guest.outputOf(
      `systemd-run --quiet --collect --unit ${unit} -p Restart=always -p RestartSec=200ms -p StartLimitIntervalSec=0 sh -c '${raw}exec perl /run/wire.pl ${device} /var/lib/poid-sim/${simulated} ${pieceBytes}'`,
    );
  }
}
