package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"drive/webhooks"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(fields[3], 10, 64)
		body, _ := base64.StdEncoding.DecodeString(fields[4])
		keys := strings.Split(fields[0], ",")
		fmt.Println(webhooks.IsGenuine(body, fields[1], fields[2], keys, time.Unix(now, 0)))
	}
}
