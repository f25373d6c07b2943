// The REST handler again, in Go with its standard library: shows the cost of the same work in a compiled language.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
)

var service = os.Getenv("UPSTREAM_URL")

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}

type Person struct {
	ID                string  `json:"id"`
	Name              *string `json:"name"`
	Document          *string `json:"document"`
	Email             *string `json:"email"`
	EmailConfirmation bool    `json:"emailConfirmation"`
	Phone             *string `json:"phone"`
	PhoneConfirmation bool    `json:"phoneConfirmation"`
	Status            *string `json:"status"`
	OnboardingStep    *string `json:"onboardingStep"`
	HasPin            bool    `json:"hasPin"`
}

type Individual struct {
	ID                    string  `json:"id"`
	BirthDate             string  `json:"birthDate"`
	MotherName            *string `json:"motherName"`
	FatherName            *string `json:"fatherName"`
	Income                Number  `json:"income"`
	Nationality           *string `json:"nationality"`
	PubliclyExposedPerson bool    `json:"publiclyExposedPerson"`
	DocumentType          *string `json:"documentType"`
	DocumentNumber        *string `json:"documentNumber"`
	DocumentUf            *string `json:"documentUf"`
	DocumentIssuing       *string `json:"documentIssuing"`
	DocumentDateIssue     *string `json:"documentDateIssue"`
	DocumentExpiration    *string `json:"documentExpiration"`
}

type Address struct {
	ID           string  `json:"id"`
	ZipCode      *string `json:"zipCode"`
	State        *string `json:"state"`
	City         *string `json:"city"`
	Neighborhood *string `json:"neighborhood"`
	Street       *string `json:"street"`
	Number       *string `json:"number"`
	Complement   *string `json:"complement"`
}

type Account struct {
	ID           string      `json:"id"`
	Bank         string      `json:"bank"`
	Agency       string      `json:"agency"`
	Number       string      `json:"number"`
	Balance      Number      `json:"balance"`
	Status       string      `json:"status"`
	IsEscrow     bool        `json:"isEscrow"`
	Transactions *Connection `json:"transactions,omitempty"`
}

type Transaction struct {
	ID              string  `json:"id"`
	Amount          Number  `json:"amount"`
	Credit          bool    `json:"credit"`
	SignedAmount    Number  `json:"signedAmount"`
	Status          *string `json:"status"`
	ExternalStatus  *string `json:"externalStatus"`
	Category        *string `json:"category"`
	BeneficiaryName *string `json:"beneficiaryName"`
	Type            *string `json:"type"`
	CreatedAt       *string `json:"createdAt"`
}

// Number keeps the digits that the service sent, and is answered as a string.
type Number string

func (number *Number) UnmarshalJSON(text []byte) error {
	*number = Number(text)
	return nil
}

type Profile struct {
	Person     Person     `json:"person"`
	Individual Individual `json:"individual"`
	Address    Address    `json:"address"`
	Accounts   []Account  `json:"accounts"`
}

type Page struct {
	Data       []Transaction `json:"data"`
	Pagination struct {
		TotalItems   int `json:"totalItems"`
		ItemsPerPage int `json:"itemsPerPage"`
	} `json:"pagination"`
}

type Edge struct {
	Cursor string       `json:"cursor"`
	Node   *Transaction `json:"node"`
}

type PageInfo struct {
	HasNextPage     bool    `json:"hasNextPage"`
	HasPreviousPage bool    `json:"hasPreviousPage"`
	StartCursor     *string `json:"startCursor"`
	EndCursor       *string `json:"endCursor"`
}

type Connection struct {
	Edges      []Edge   `json:"edges"`
	TotalCount int      `json:"totalCount"`
	PageInfo   PageInfo `json:"pageInfo"`
}

type Holder struct {
	Person
	Individual Individual `json:"individual"`
	Address    Address    `json:"address"`
}

type Overview struct {
	Me       Holder    `json:"me"`
	Accounts []Account `json:"accounts"`
}

func read(path string, request *http.Request, value any) error {
	call, err := http.NewRequest("GET", service+path, nil)
	if err != nil {
		return err
	}
	call.Header = http.Header{
		"Accept":        {"application/json"},
		"Content-Type":  {"application/json"},
		"Authorization": request.Header["Authorization"],
		"X-Tenant-Id":   request.Header["X-Tenant-Id"],
	}
	response, err := client.Do(call)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, value)
}

func readPage(account string, page int, request *http.Request) (*Page, error) {
	value := new(Page)
	err := read(fmt.Sprintf("/accounts/%s/transactions?page=%d", account, page), request, value)
	return value, err
}

func readSlice(account string, first int, request *http.Request) (*Connection, error) {
	head, err := readPage(account, 0, request)
	if err != nil {
		return nil, err
	}
	total, size := head.Pagination.TotalItems, head.Pagination.ItemsPerPage
	wanted := first
	if total < wanted {
		wanted = total
	}
	rest, err := readAll((wanted+size-1)/size-1, func(page int) (*Page, error) {
		return readPage(account, page+1, request)
	})
	if err != nil {
		return nil, err
	}
	rows := head.Data
	for _, page := range rest {
		rows = append(rows, page.Data...)
	}
	return connection(rows, total, first), nil
}

// readAll makes `count` calls at the same time.
func readAll[Value any](count int, read func(int) (Value, error)) ([]Value, error) {
	if count < 0 {
		count = 0
	}
	values := make([]Value, count)
	errs := make([]error, count)
	var group sync.WaitGroup
	group.Add(count)
	for index := 0; index < count; index++ {
		go func(index int) {
			defer group.Done()
			values[index], errs[index] = read(index)
		}(index)
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

func connection(rows []Transaction, total, first int) *Connection {
	if len(rows) > first {
		rows = rows[:first]
	}
	edges := make([]Edge, len(rows))
	for index := range rows {
		row := &rows[index]
		row.SignedAmount = row.Amount
		if !row.Credit {
			row.SignedAmount = "-" + row.Amount
		}
		edges[index] = Edge{row.ID + "." + strconv.Itoa(index), row}
	}
	info := PageInfo{HasNextPage: total > len(edges)}
	if len(edges) > 0 {
		info.StartCursor, info.EndCursor = &edges[0].Cursor, &edges[len(edges)-1].Cursor
	}
	return &Connection{edges, total, info}
}

func readOverview(request *http.Request) (*Overview, error) {
	var profile Profile
	if err := read("/persons", request, &profile); err != nil {
		return nil, err
	}
	profile.Individual.BirthDate, _, _ = strings.Cut(profile.Individual.BirthDate, "T")
	return &Overview{Holder{profile.Person, profile.Individual, profile.Address}, profile.Accounts}, nil
}

func profile(_ url.Values, request *http.Request) (any, error) {
	return readOverview(request)
}

func transactions(query url.Values, request *http.Request) (any, error) {
	first, err := strconv.Atoi(query.Get("first"))
	if err != nil {
		return nil, err
	}
	slice, err := readSlice(query.Get("accountId"), first, request)
	return map[string]any{"transactions": slice}, err
}

func overview(query url.Values, request *http.Request) (any, error) {
	first, err := strconv.Atoi(query.Get("first"))
	if err != nil {
		return nil, err
	}
	value, err := readOverview(request)
	if err != nil {
		return nil, err
	}
	accounts := value.Accounts
	slices, err := readAll(len(accounts), func(index int) (*Connection, error) {
		return readSlice(accounts[index].ID, first, request)
	})
	for index, slice := range slices {
		accounts[index].Transactions = slice
	}
	return value, err
}

func handle(path string, answer func(url.Values, *http.Request) (any, error)) {
	http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
		value, err := answer(request.URL.Query(), request)
		var body bytes.Buffer
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		if err == nil {
			err = encoder.Encode(value)
		}
		if err != nil {
			log.Print(err)
			http.Error(response, "", http.StatusInternalServerError)
			return
		}
		response.Header().Set("Content-Type", "application/json; charset=utf-8")
		response.Header().Set("Content-Length", strconv.Itoa(body.Len()))
		response.Write(body.Bytes())
	})
}

func main() {
	handle("/profile", profile)
	handle("/transactions", transactions)
	handle("/overview", overview)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
