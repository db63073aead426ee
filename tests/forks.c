/* Stands where a command of Python does, and lets the server of forks.py run it, which has all modules loaded.

   It sends its descriptors; the server finds arguments, environment and folder in /proc. The answer is the number of
   the process that runs the command, then its status as wait() has it; signals go on to that process, and this one ends
   as that one does. Where the number is 0, the server leaves the command to BIN, the folder of the true ones. */

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 253 /* descriptors that one message may have */

static const int FORWARDED[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
static volatile sig_atomic_t running; /* the process that runs the command */

static void forward(int number) { kill(running, number); }

static void fail(const char *what) {
    perror(what);
    exit(125);
}

/* A socket beside this program. */
static int connected(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char here[sizeof address.sun_path] = "";
    if (readlink("/proc/self/exe", here, sizeof here - 8) < 0)
        fail("/proc/self/exe");
    snprintf(address.sun_path, sizeof address.sun_path, "%.90s/socket", dirname(here));
    int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) != 0)
        fail(address.sun_path);
    return server;
}

/* The descriptors that a new program would have; their count. */
static int descriptors(int server, int found[MOST]) {
    int count = 0;
    DIR *all = opendir("/proc/self/fd");
    if (all == NULL)
        fail("/proc/self/fd");
    for (struct dirent *each; (each = readdir(all)) != NULL && count < MOST;) {
        int number = atoi(each->d_name);
        if (each->d_name[0] != '.' && number != server && number != dirfd(all))
            found[count++] = number;
    }
    closedir(all);
    return count;
}

static void send_descriptors(int server, int *numbers, int count) {
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(MOST * sizeof(int))];
    } control = {0};
    struct iovec data = {numbers, (size_t)count * sizeof(int)};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.space};
    message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
    memcpy(CMSG_DATA(&control.head), numbers, (size_t)count * sizeof(int));
    if (sendmsg(server, &message, 0) < 0)
        fail("sendmsg");
}

static int answer(int server) {
    int number;
    if (TEMP_FAILURE_RETRY(recv(server, &number, sizeof number, MSG_WAITALL)) != sizeof number) {
        if (running)
            kill(running, SIGKILL);
        fail("the server of commands has gone");
    }
    return number;
}

static int end_as(int status) {
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

int main(int count_of_words, char **argv) {
    (void)count_of_words;
    int numbers[MOST], server = connected(), count = descriptors(server, numbers);
    if (count > 0) {
        send_descriptors(server, numbers, count);
        running = answer(server);
    }
    if (running == 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", BIN, basename(argv[0]));
        execv(path, argv);
        fail(path);
    }
    for (size_t i = 0; i < sizeof FORWARDED / sizeof *FORWARDED; i++)
        if (signal(FORWARDED[i], forward) == SIG_IGN)
            signal(FORWARDED[i], SIG_IGN);
    for (int i = 0; i < count; i++)
        close(numbers[i]); /* whoever waits for their end waits for that process only */
    return end_as(answer(server));
}
