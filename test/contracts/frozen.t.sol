// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "../../contracts/Diamond.sol";
import {DealFacet} from "../../contracts/facets/DealFacet.sol";
import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IBatcher} from "../../contracts/interfaces/IBatcher.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {LibDeals} from "../../contracts/libraries/LibDeals.sol";
import {LibDiamond} from "../../contracts/libraries/LibDiamond.sol";
import {LibOffers} from "../../contracts/libraries/LibOffers.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice What live diamonds, signed terms and stored logs depend on. A failure here is a bug in the change, never in
///         the test: a release may add, but none of these values may ever differ.
contract FrozenTest is CaratTest {
    address internal constant WHERE = 0xC0433e1fE04D12c77839784f3983841c67e73c6e;

    /// @dev The terms of which ethers made digests and signatures.
    function walletDeal() internal pure returns (Deal memory) {
        return Deal({
            dealId: 4_503_599_627_370_497,
            token: 0x1111111111111111111111111111111111111111,
            payee: 0x2222222222222222222222222222222222222222,
            payer: 0x3333333333333333333333333333333333333333,
            amount: 12_500_000,
            expiresAt: 1_800_003_600
        });
    }

    function test_creation_code_of_the_diamond() public pure {
        assertEq(
            keccak256(type(Diamond).creationCode), 0x60817cdcfdb75686895d3ac3ca0bdb3ac23af9538d186a3ab892425af8d87cb6
        );
    }

    function test_storage_slots() public pure {
        assertEq(LibDiamond.SLOT, 0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00);
        assertEq(LibDeals.SLOT, 0xece44addae61705c469b073121785197cfd2d081ee1e0e1d269d8832fc5f7800);
        assertEq(LibLock.SLOT, 0x2e8193f1bc6c923879c6413dd0207bf644d6b441752c93f0c228b0791240d000);
    }

    function test_storage_slots_follow_erc7201() public pure {
        assertEq(LibDiamond.SLOT, erc7201Slot("carat.diamond"));
        assertEq(LibDeals.SLOT, erc7201Slot("carat.deals"));
        assertEq(LibLock.SLOT, erc7201Slot("carat.lock"));
    }

    function test_status_codes() public pure {
        assertEq(LibDeals.NONE, 0);
        assertEq(LibDeals.OPEN, 1);
        assertEq(LibDeals.PAID, 2);
        assertEq(LibDeals.CANCELLED, 3);
    }

    function test_roles() public pure {
        assertEq(Roles.OPERATOR, 0x6f70657261746f72000000000000000000000000000000000000000000000000);
        assertEq(Roles.UPGRADER, 0x7570677261646572000000000000000000000000000000000000000000000000);
        assertEq(Roles.SIGNER, 0x7369676e65720000000000000000000000000000000000000000000000000000);
        assertEq(Roles.GUARDIAN, 0x677561726469616e000000000000000000000000000000000000000000000000);
    }

    function test_type_hashes() public pure {
        assertEq(LibDeals.DEAL_TYPEHASH, 0x24fe386bd659eb0cab4397ec08d199680a1c952f1704d80941237cda4ad87e46);
        assertEq(
            LibDeals.DEAL_TYPEHASH,
            keccak256("Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)")
        );
        assertEq(
            LibDeals.DOMAIN_TYPEHASH,
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")
        );
        assertEq(LibDeals.NAME_HASH, keccak256("Carat"));
        assertEq(LibDeals.VERSION_HASH, keccak256("1"));
    }

    function test_type_hash_of_offers() public pure {
        assertEq(LibOffers.OFFER_TYPEHASH, 0x5f52eaad6885bac430cc95096e3a14bfe857df9f9e8f316df982aaabc9b90cda);
        assertEq(
            LibOffers.OFFER_TYPEHASH,
            keccak256(
                "Offer(Deal deal,uint256 validUntil)Deal(uint256 dealId,address token,address payee,address payer,uint256 amount,uint256 expiresAt)"
            )
        );
    }

    /// @dev Digest and signature were made by ethers from the same terms, by the private key 1.
    function test_offer_is_the_one_of_wallets() public {
        vm.chainId(1);
        useDiamond(WHERE);
        Deal memory deal = walletDeal();
        bytes32 digest = 0xb883718836eb0a0438c5dddcf9510cecb4893f226a479d19b6faffbe03c86e01;
        assertEq(offerHash(deal, 1_800_000_900), digest);
        assertEq(
            LibOffers.recover(
                digest,
                0x8cd02dc28fed9a9f5a28608896da95ad4b587d652b0f642a2ba0334298fe98bb,
                0x09aee296c94ba1bef82810712a91b06038f41a2f2eb5604c563eada5cedab7c7
            ),
            vm.addr(1)
        );
    }

    /// @dev The digest was made by ethers' TypedDataEncoder from the same terms.
    function test_digest_is_the_one_of_wallets() public {
        vm.etch(WHERE, type(DealFacet).runtimeCode);
        vm.chainId(1);
        Deal memory deal = walletDeal();
        assertEq(IDealFacet(WHERE).termsHash(deal), 0x5a5c709887ed69b6c9b3c803fcdf1c5650e5bd066a3e322cb9a15f37482afe41);
    }

    function test_event_signatures() public pure {
        assertEq(IDealFacet.DealCreated.selector, 0x63a62fcd4397ba994ecf134be772daa5ab4bf3d2be1ee15fe620bbc8b1caa41b);
        assertEq(IDealFacet.DealPaid.selector, 0xb5f1fa1499fb6f9a9e0c2a7c67eac022effed83a0506d4e71f05b0051f2f9e0f);
        assertEq(IDealFacet.DealCancelled.selector, 0x3696a032a614485559c718725e731eddcbefa6f153f7d59c48027ab70788fc9d);
        assertEq(IDealFacet.DealConflict.selector, 0x49f1879917d89200126d6d0fe23c222ba41615c458d8945ced9c74ed6c38baa9);
        assertEq(IDealFacet.Swept.selector, 0x7b09c29f9106defeccc9ac3b823f3aad0b470d120e5df7aed033b5c43a4bf718);
        assertEq(IDiamondCut.DiamondCut.selector, 0x8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673);
        assertEq(IRegistry.DiamondCreated.selector, 0x15ba48ac574cf8f65246f1ddab9ba9ff64727519353a2596ef6512ed28a2c922);
        assertEq(IRegistry.FacetProposed.selector, 0xed0967d01034c90e8d5e1b3cba1bbfa9735a54f9cbca4cd3c244743f3eb730d2);
        assertEq(IRegistry.FacetRevoked.selector, 0x0ba148b82745bbad190050c56b46bba77a44595f94d6f4eec416c24ac06f8391);
        assertEq(IRegistry.PausedSet.selector, 0x01b5788941dc32ea9ba649d8e603d186638523a57d48cf2b80b63f13a61e6694);
        assertEq(IRegistry.ReleaseSet.selector, 0x794bb65585982808be94f72d06f3271e33dd0e062578d5009e6e4c400071db22);
        assertEq(IRegistry.RoleSet.selector, 0x4de723edd2f6a791f2bd19eb7176f9f88e2ea289ae63cd2637f9e28a8f94f645);
        assertEq(
            IRegistry.RootTransferStarted.selector, 0x4816e9e64ff2fffe247a4d48e95a447c5a1a94ef67bddc1a8c03ab7f9835db93
        );
        assertEq(IRegistry.RootTransferred.selector, 0xf0d360b8cc64edd16ad70c5d048bf93f7f3349b0ba9eddf5d5e1686d23e0157e);
        assertEq(IBatcher.BatchFailed.selector, 0x8fb284ae340d0bde45d53efac05dc9be8c1cdbbaacb15590a735cbec253c09b5);
    }

    function test_selectors() public pure {
        assertEq(IDealFacet.createDeals.selector, bytes4(0xaa09d89c));
        assertEq(IDealFacet.cancelDeals.selector, bytes4(0x453c11c3));
        assertEq(IDealFacet.payToken.selector, bytes4(0x6a0a2143));
        assertEq(IDealFacet.payNative.selector, bytes4(0x3f4d8b30));
        assertEq(IDealFacet.payTokenWithPermit.selector, bytes4(0x16642e65));
        assertEq(IDealFacet.dealWords.selector, bytes4(0xc11d1a78));
        assertEq(IDealFacet.termsHash.selector, bytes4(0xa8e9da3a));
        assertEq(IDealFacet.registry.selector, bytes4(0x7b103999));
        assertEq(IDealFacet.sweep.selector, bytes4(0xb8dc491b));
        assertEq(IOfferFacet.payOfferedToken.selector, bytes4(0x500f8216));
        assertEq(IOfferFacet.payOfferedNative.selector, bytes4(0xd27c02fa));
        assertEq(IOfferFacet.payOfferedTokenWithPermit.selector, bytes4(0x1626655b));
        assertEq(IDiamondCut.diamondCut.selector, bytes4(0x1f931c1c));
        assertEq(IDiamondCut.diamondCutChecked.selector, bytes4(0x20224f96));
        assertEq(IRegistry.createDiamond.selector, bytes4(0xaf366d33));
        assertEq(IBatcher.createDeals.selector, bytes4(0x6384ce25));
        assertEq(IRegistry.release.selector, bytes4(0x86d1a69f));
        assertEq(IRegistry.roleState.selector, bytes4(0x5a28c14d));
        assertEq(IRegistry.paused.selector, bytes4(0x5c975abb));
        assertEq(IRegistry.root.selector, bytes4(0xebf0c717));
        assertEq(IRegistry.isApproved.selector, bytes4(0x673448dd));
        assertEq(IRegistry.diamondKey.selector, bytes4(0x58e9d28d));
        assertEq(IBatcher.cancelDeals.selector, bytes4(0xc3b772b9));
        assertEq(IBatcher.dealWords.selector, bytes4(0x106a0e37));
    }

    /// @dev The selector table of a new diamond, word for word: registry, last selector and count in
    ///      one word; in the next slot the entries, each a facet and the selector that was added before it.
    function test_words_of_the_selector_table() public view {
        bytes4[19] memory order = [
            bytes4(0x1f931c1c),
            bytes4(0x20224f96),
            bytes4(0x7a0ed627),
            bytes4(0xadfca15e),
            bytes4(0x52ef6b2c),
            bytes4(0xcdffacc6),
            bytes4(0x01ffc9a7),
            bytes4(0xaa09d89c),
            bytes4(0x453c11c3),
            bytes4(0x6a0a2143),
            bytes4(0x3f4d8b30),
            bytes4(0x16642e65),
            bytes4(0xc11d1a78),
            bytes4(0xa8e9da3a),
            bytes4(0x7b103999),
            bytes4(0xb8dc491b),
            IOfferFacet.payOfferedToken.selector,
            IOfferFacet.payOfferedNative.selector,
            IOfferFacet.payOfferedTokenWithPermit.selector
        ];
        bytes32 head = bytes32(abi.encodePacked(bytes4(0), bytes2(0), uint16(19), order[18], registry));
        assertEq(vm.load(diamond, 0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac00), head);
        bytes4 previous;
        for (uint256 i; i < order.length; ++i) {
            address facet = i < 2 ? cutFacet : i < 7 ? loupeFacet : i < 16 ? dealFacet : offerFacet;
            bytes32 slot =
                keccak256(abi.encode(order[i], 0xcc9fdfee4690c74219d14b9b6ef2e9bd12b5199df9711d6f348fa27a76b6ac01));
            assertEq(vm.load(diamond, slot), bytes32(abi.encodePacked(bytes8(0), previous, facet)));
            previous = order[i];
        }
    }

    /// @dev Everything a diamond ever writes lies in its two namespaces; a facet with a plain variable would be seen here.
    function test_writes_stay_in_the_namespaces() public {
        Deal memory deal = tokenDeal();
        vm.record();
        address created = registry.createDiamond(NODE, bytes16(uint128(0x33)));
        (, bytes32[] memory slots) = vm.accesses(created);
        assertGt(slots.length, 20);
        for (uint256 i; i < slots.length; ++i) {
            assertTrue(slots[i] == LibDiamond.SLOT || isEntry(slots[i]));
        }

        vm.record();
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        cancel(ID + 1);
        vm.prank(root);
        deals.sweep(address(0), root);
        (, slots) = vm.accesses(diamond);
        assertEq(slots.length, 3);
        for (uint256 i; i < slots.length; ++i) {
            bytes32 paid = keccak256(abi.encode(ID, LibDeals.SLOT));
            bytes32 tombstone = keccak256(abi.encode(ID + 1, LibDeals.SLOT));
            assertTrue(slots[i] == paid || slots[i] == tombstone);
        }
        assertEq(vm.load(diamond, keccak256(abi.encode(ID, LibDeals.SLOT))), wordOf(ID));
    }

    /// @dev The same of cuts: the head of the selector table and entries of it, nothing else.
    function test_cuts_write_in_the_selector_table_only() public {
        address later = sharedAt(dealFacet, bytes32("later"));
        approve(later, bytes32("later"));
        bytes4 selector = IDealFacet.sweep.selector;
        vm.record();
        vm.startPrank(upgrader);
        cutter.diamondCut(cutOf(later, IDiamondCut.FacetCutAction.Replace, selector), address(0), "");
        cutter.diamondCut(cutOf(address(0), IDiamondCut.FacetCutAction.Remove, selector), address(0), "");
        cutter.diamondCut(cutOf(dealFacet, IDiamondCut.FacetCutAction.Add, selector), address(0), "");
        vm.stopPrank();
        (, bytes32[] memory slots) = vm.accesses(diamond);
        assertGt(slots.length, 3);
        for (uint256 i; i < slots.length; ++i) {
            assertTrue(slots[i] == LibDiamond.SLOT || isEntry(slots[i]));
        }
    }

    function isEntry(bytes32 slot) private view returns (bool) {
        for (uint256 i; i < loupe.facets().length; ++i) {
            bytes4[] memory selectors = loupe.facets()[i].functionSelectors;
            for (uint256 j; j < selectors.length; ++j) {
                if (slot == keccak256(abi.encode(selectors[j], uint256(LibDiamond.SLOT) + 1))) return true;
            }
        }
        return false;
    }

    function erc7201Slot(string memory namespace) private pure returns (bytes32) {
        return keccak256(abi.encode(uint256(keccak256(bytes(namespace))) - 1)) & ~bytes32(uint256(0xff));
    }
}
