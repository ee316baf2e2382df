#!/usr/bin/perl
# The end of the second serial line in a guest. A line that comes in is a number, a kind and words in hex: `run` has a shell
# script, `http` a port of this machine, a line break and a request. A line that goes out is `#`, the number, an exit code
# and, in hex, what the script said, or the response. All run side by side. It forks and seldom starts a program, because
# an emulated processor takes a third of a second for each.
use strict;
use warnings;
use Fcntl;
use Socket;

my $line = '/dev/ttyS1';
my $dir  = '/run/test-agent';
system('stty', '-F', $line, 'raw', '-echo');
mkdir $dir;
$SIG{CHLD} = 'IGNORE';
$ENV{HOME} = '/root';
$ENV{LC_ALL} = 'C.UTF-8';
sysopen(my $in, $line, O_RDONLY | O_NOCTTY) or die "$line: $!";
sysopen(my $out, $line, O_WRONLY | O_NOCTTY) or die "$line: $!";
tell_host("#up\n");
my $kept = '';
while (sysread($in, $kept, 4096, length $kept)) {
  while ($kept =~ s/^([^\n]*)\n//) {
    my ($number, $kind, $words) = split ' ', $1;
    next unless defined $words && $number =~ /^\d+$/;
    my $child = fork;
    tell_host("#$number 125 " . unpack('H*', "fork: $!") . "\n") unless defined $child;
    next if $child || !defined $child;
    $SIG{CHLD} = 'DEFAULT';
    my ($code, $said) = $kind eq 'http' ? ask(pack 'H*', $words) : run($number, pack 'H*', $words);
    tell_host("#$number $code " . unpack('H*', $said) . "\n");
    exit;
  }
}

# What a script leaves behind may go on: its output is a file, and nobody waits for its end.
sub run {
  my ($number, $script) = @_;
  my $file = "$dir/$number";
  my $child = fork;
  if ($child == 0) {
    chdir '/';
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', $file;
    open STDERR, '>&', \*STDOUT;
    exec 'sh', '-c', $script;
  }
  waitpid $child, 0;
  my $code = $? & 127 ? 128 + ($? & 127) : $? >> 8;
  open my $said, '<', $file or return ($code, '');
  unlink $file;
  local $/;
  return ($code, <$said> // '');
}

sub ask {
  my ($port, $request) = split /\n/, shift, 2;
  my ($said, $got) = ('', 0);
  socket(my $socket, PF_INET, SOCK_STREAM, 0) or return (1, "$!");
  connect($socket, pack_sockaddr_in($port, INADDR_LOOPBACK)) or return (1, "$!");
  syswrite $socket, $request;
  do { $got = sysread $socket, $said, 65536, length $said } while $got;
  return (defined $got ? 0 : 1, $said);
}

# In one piece: another child may have something to say, too.
sub tell_host {
  my $text = "\n" . shift;
  open my $lock, '>', "$dir/lock";
  flock $lock, 2;
  while (length $text) {
    my $sent = syswrite $out, $text;
    last unless defined $sent;
    substr($text, 0, $sent) = '';
  }
}
