// The first program of a guest: loads the modules that the initrd brings, mounts the disk and starts systemd. Debian's own
// initrd takes an emulated processor ten times as long.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int explain(const char *what) {
  perror(what);
  // The kernel panics then, and QEMU ends.
  return 1;
}

int main(void) {
  char line[256];
  FILE *modules = fopen("/modules", "r");
  if (!modules) return explain("/modules");
  while (fgets(line, sizeof line, modules)) {
    line[strcspn(line, "\n")] = 0;
    int file = open(line, O_RDONLY);
    if (file < 0 || syscall(SYS_finit_module, file, "", 0)) return explain(line);
    close(file);
  }
  fclose(modules);
  if (mount("devtmpfs", "/dev", "devtmpfs", 0, 0)) return explain("/dev");
  // The disk is there once its driver is loaded, or a moment later.
  for (int tries = 0; access("/dev/vda", F_OK) && tries < 1000; tries++) usleep(10000);
  if (mount("/dev/vda", "/root", "ext4", 0, 0)) return explain("/dev/vda");
  if (mount("/dev", "/root/dev", 0, MS_MOVE, 0)) return explain("/root/dev");
  if (chdir("/root") || mount(".", "/", 0, MS_MOVE, 0) || chroot(".")) return explain("/root");
  execl("/sbin/init", "/sbin/init", (char *)0);
  return explain("/sbin/init");
}
