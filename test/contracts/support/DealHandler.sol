// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Test} from "forge-std/Test.sol";
import {Batcher} from "../../../contracts/Batcher.sol";
import {Registry} from "../../../contracts/Registry.sol";
import {CancelBatch, Deal, DealKey, DiamondBatch} from "../../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../../contracts/interfaces/IDealFacet.sol";
import {TestToken} from "../../../contracts/mocks/TestToken.sol";

/// @notice Does to one diamond what operators, buyers, strangers, guardian and root may try, in any order, and checks
///         after every step that nothing moved but what that step was allowed to move.
contract DealHandler is Test {
    uint256 internal constant IDS = 24;

    error BalanceMoved(address who, uint256 expected, uint256 actual);
    error IllegalEdge(bytes32 from, bytes32 to);

    Registry internal immutable registry;
    Batcher internal immutable batcher;
    IDealFacet internal immutable deals;
    address internal immutable diamond;
    TestToken internal immutable token;
    address internal immutable root;
    address internal immutable operator;
    address internal immutable guardian;

    address[] public buyers;
    address[] public payees;

    mapping(uint256 dealId => bytes32) public firstTerms;
    mapping(uint256 dealId => uint256) public firstVariant;
    mapping(uint256 dealId => uint256) public payments;
    mapping(address payee => mapping(address token => uint256)) public owed;
    mapping(bytes32 step => uint256) public done;

    uint256 internal donatedTokens;
    uint256 internal donatedCoins;

    /// @dev What the diamond, the buyers and the payees had before the step; the caller may lose `paid` of `currency`.
    struct Book {
        uint256 diamondTokens;
        uint256 diamondCoins;
        uint256[] tokens;
        uint256[] coins;
        bytes32[] words;
    }

    constructor(
        Registry registry_,
        Batcher batcher_,
        address diamond_,
        TestToken token_,
        address operator_,
        address guardian_
    ) {
        registry = registry_;
        batcher = batcher_;
        diamond = diamond_;
        deals = IDealFacet(diamond_);
        token = token_;
        root = registry_.root();
        operator = operator_;
        guardian = guardian_;
        for (uint256 i; i < 3; ++i) {
            address buyer = makeAddr(string.concat("buyer ", vm.toString(i)));
            buyers.push(buyer);
            token_.mint(buyer, 1e24);
            vm.deal(buyer, 1e24);
            vm.prank(buyer);
            token_.approve(diamond_, type(uint256).max);
            payees.push(makeAddr(string.concat("payee ", vm.toString(i))));
        }
    }

    function create(uint256 seed, uint256 variant, bool batched) external {
        Deal memory deal = dealOf(seed, variant);
        bytes32 terms = deals.termsHash(deal);
        Book memory book = open();
        DealKey[] memory keys = new DealKey[](1);
        keys[0] = DealKey(deal.dealId, terms);
        bytes32 held = wordOf(deal.dealId);
        if (!batched && registry.paused()) vm.expectRevert(IDealFacet.Paused.selector);
        vm.prank(operator);
        if (batched) batcher.createDeals(batchOf(keys));
        else deals.createDeals(keys);
        if (held == 0 && wordOf(deal.dealId) != 0) {
            firstTerms[deal.dealId] = terms;
            firstVariant[deal.dealId] = variant;
            ++done["create"];
        }
        close(book, address(0), address(0), address(0), 0);
    }

    function cancel(uint256 seed, bool batched) external {
        uint256 dealId = 1 + seed % IDS;
        Book memory book = open();
        uint256 status = uint8(uint256(wordOf(dealId)));
        vm.prank(operator);
        if (batched) {
            CancelBatch[] memory list = new CancelBatch[](1);
            list[0] = CancelBatch(diamond, one(dealId));
            batcher.cancelDeals(list);
        } else {
            deals.cancelDeals(one(dealId));
        }
        assertEq(uint8(uint256(wordOf(dealId))), status == 2 ? 2 : 3);
        ++done["cancel"];
        close(book, address(0), address(0), address(0), 0);
    }

    function pay(uint256 seed, uint256 variant, uint256 who, uint256 way) external {
        // Mostly the terms that the id really has and a way that fits them, so that payments do happen.
        if (variant % 4 != 0) variant = firstVariant[1 + seed % IDS];
        Deal memory deal = dealOf(seed, variant);
        if (way % 4 != 0) way = deal.token == address(0) ? 1 : way % 2 * 2;
        address buyer = buyers[who % buyers.length];
        bytes32 held = wordOf(deal.dealId);
        bytes32 terms = deals.termsHash(deal);
        bool native = way % 3 == 1;
        bool expected = !registry.paused() && held == openWord(terms) && block.timestamp < deal.expiresAt
            && (deal.payer == address(0) || deal.payer == buyer) && native == (deal.token == address(0));
        Book memory book = open();
        vm.prank(buyer);
        bool ok = tryPay(deal, way % 3);
        assertEq(ok, expected);
        if (ok) {
            ++payments[deal.dealId];
            owed[deal.payee][deal.token] += deal.amount;
            ++done["pay"];
            close(book, buyer, deal.payee, deal.token, deal.amount);
        } else {
            assertEq(wordOf(deal.dealId), held);
            close(book, address(0), address(0), address(0), 0);
        }
    }

    /// @dev Nobody but operators creates or cancels, nobody but root sweeps, whoever asks.
    function intrude(uint256 seed, uint256 who) external {
        address intruder = who % 5 == 3 ? guardian : who % 5 == 4 ? payees[0] : buyers[who % 5 % 3];
        Book memory book = open();
        DealKey[] memory keys = new DealKey[](1);
        keys[0] = DealKey(1 + seed % IDS, keccak256("intruder"));
        uint256[] memory ids = one(1 + seed % IDS);
        bytes[4] memory calls = [
            abi.encodeCall(IDealFacet.createDeals, (keys)),
            abi.encodeCall(IDealFacet.cancelDeals, (ids)),
            abi.encodeCall(IDealFacet.sweep, (address(token), intruder)),
            abi.encodeCall(IDealFacet.sweep, (address(0), intruder))
        ];
        for (uint256 i; i < calls.length; ++i) {
            vm.prank(intruder);
            (bool ok,) = diamond.call(calls[i]);
            assertFalse(ok);
        }
        close(book, address(0), address(0), address(0), 0);
    }

    function donate(uint256 amount) external {
        amount = bound(amount, 1, 1e9);
        token.mint(diamond, amount);
        vm.deal(diamond, diamond.balance + amount);
        donatedTokens += amount;
        donatedCoins += amount;
    }

    function setPaused(uint256 seed) external {
        bool paused = seed % 4 == 0;
        vm.prank(paused ? guardian : root);
        registry.setPaused(paused);
    }

    function wait(uint256 time) external {
        skip(bound(time, 1, 20 minutes));
    }

    function batchOf(DealKey[] memory keys) internal view returns (DiamondBatch[] memory list) {
        list = new DiamondBatch[](1);
        list[0] = DiamondBatch(diamond, keys);
    }

    /// @dev Ids, terms and times from small sets, so that the same deal is met again and conflicts happen.
    function dealOf(uint256 seed, uint256 variant) internal view returns (Deal memory) {
        uint256 dealId = 1 + seed % IDS;
        variant %= 4;
        return Deal({
            dealId: dealId,
            token: variant % 2 == 0 ? address(token) : address(0),
            payee: payees[(dealId + variant) % payees.length],
            payer: variant == 3 ? buyers[dealId % buyers.length] : address(0),
            amount: 1000 * dealId + variant,
            expiresAt: 1_800_000_000 + dealId * 1 hours
        });
    }

    function tryPay(Deal memory deal, uint256 way) internal returns (bool ok) {
        bytes memory call_ = way == 0
            ? abi.encodeCall(IDealFacet.payToken, (deal))
            : way == 1
                ? abi.encodeCall(IDealFacet.payNative, (deal))
                : abi.encodeCall(IDealFacet.payTokenWithPermit, (deal, 0, 0, 0, 0));
        (ok,) = diamond.call{value: way == 1 ? deal.amount : 0}(call_);
    }

    function one(uint256 dealId) internal pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = dealId;
    }

    function wordOf(uint256 dealId) internal view returns (bytes32) {
        return deals.dealWords(one(dealId))[0];
    }

    function openWord(bytes32 terms) internal pure returns (bytes32) {
        return bytes32((uint256(terms) & ~uint256(0xff)) | 1);
    }

    function open() internal view returns (Book memory book) {
        book.diamondTokens = token.balanceOf(diamond);
        book.diamondCoins = diamond.balance;
        (book.tokens, book.coins) = balances();
        book.words = allWords();
    }

    /// @dev `payer` may have lost and `payee` must have got exactly `amount` of `currency`; nobody else moved.
    function close(Book memory book, address payer, address payee, address currency, uint256 amount) internal view {
        requireEqual(diamond, book.diamondTokens, token.balanceOf(diamond));
        requireEqual(diamond, book.diamondCoins, diamond.balance);
        (uint256[] memory tokens, uint256[] memory coins) = balances();
        for (uint256 i; i < tokens.length; ++i) {
            address who = i < buyers.length ? buyers[i] : payees[i - buyers.length];
            if (who == payer) (currency == address(0) ? book.coins : book.tokens)[i] -= amount;
            if (who == payee) (currency == address(0) ? book.coins : book.tokens)[i] += amount;
            requireEqual(who, book.tokens[i], tokens[i]);
            requireEqual(who, book.coins[i], coins[i]);
        }
        bytes32[] memory words = allWords();
        for (uint256 i; i < words.length; ++i) {
            requireLegal(book.words[i], words[i]);
        }
    }

    function requireEqual(address who, uint256 expected, uint256 actual) internal pure {
        if (expected != actual) revert BalanceMoved(who, expected, actual);
    }

    /// @dev none to open or tombstone; open to paid or cancelled; nothing else, and the terms never change.
    function requireLegal(bytes32 from, bytes32 to) internal pure {
        if (from == to) return;
        uint256 status = uint256(to) & 0xff;
        bool born = from == 0 && (status == 1 || to == bytes32(uint256(3)));
        bool ended = uint256(from) & 0xff == 1 && (status == 2 || status == 3) && uint256(from ^ to) < 0x100;
        if (!born && !ended) revert IllegalEdge(from, to);
    }

    function balances() internal view returns (uint256[] memory tokens, uint256[] memory coins) {
        uint256 count = buyers.length + payees.length;
        tokens = new uint256[](count);
        coins = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            address who = i < buyers.length ? buyers[i] : payees[i - buyers.length];
            tokens[i] = token.balanceOf(who);
            coins[i] = who.balance;
        }
    }

    function allWords() internal view returns (bytes32[] memory) {
        uint256[] memory ids = new uint256[](IDS);
        for (uint256 i; i < IDS; ++i) {
            ids[i] = i + 1;
        }
        return deals.dealWords(ids);
    }

    function donations() external view returns (uint256, uint256) {
        return (donatedTokens, donatedCoins);
    }

    function idCount() external pure returns (uint256) {
        return IDS;
    }
}
